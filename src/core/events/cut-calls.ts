import type { JournalState, UnendedCall } from "./journal-state.ts";

/** Calls that were open when their process ended, by what happens to them. */
export interface CutCalls {
  /** Sent to their source and never answered: they may or may not have taken effect. */
  readonly interrupted: ReadonlyMap<string, UnendedCall>;
  /** They wait for a person, and keep waiting; each with the id of its question. */
  readonly waiting: ReadonlyMap<string, UnendedCall & { readonly questionId: string }>;
  /** Accepted, but never started. */
  readonly unstarted: ReadonlyMap<string, UnendedCall>;
}

export function sortCutCalls({ calls, questions }: JournalState): CutCalls {
  const asked = new Map(
    [...questions].flatMap(([id, { kind, toolCallId }]) =>
      // An elicitation came from within a call, and that work is gone.
      kind === "elicitation" || toolCallId === null ? [] : [[toolCallId, id]],
    ),
  );
  const interrupted = new Map<string, UnendedCall>();
  const waiting = new Map<string, UnendedCall & { questionId: string }>();
  const unstarted = new Map<string, UnendedCall>();
  for (const [id, call] of calls) {
    const questionId = asked.get(id);
    // A call answered from outside has been handed over but only waits: nothing of ours has run.
    if (questionId !== undefined && isOwn(call)) waiting.set(id, { ...call, questionId });
    else (call.running ? interrupted : unstarted).set(id, call);
  }
  return { interrupted, waiting, unstarted };
}

/** Made by the session itself: calls of a subagent or of another call end with those. */
function isOwn({ agent, parentToolCallId }: UnendedCall): boolean {
  return agent === null && parentToolCallId === null;
}

/** An extension answers its own calls, and nobody else could. */
export function isAnsweredByAnybody({ data }: { readonly data: unknown }): boolean {
  const owner = typeof data === "object" && data !== null && "owner" in data ? data.owner : null;
  return !(typeof owner === "object" && owner !== null && "kind" in owner && owner.kind === "extension");
}
