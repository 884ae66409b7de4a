import type { JournalState, UnendedCall } from "./journal-state.ts";

/** Calls that had not ended when their process did, by what becomes of them. */
export interface CutCalls {
  /** Their source was asked and never answered: they may or may not have taken effect. */
  readonly interrupted: ReadonlyMap<string, UnendedCall>;
  /** They wait for somebody, and go on waiting; each with the id of its question. */
  readonly waiting: ReadonlyMap<string, UnendedCall & { readonly questionId: string }>;
  /** They were accepted, and nothing has come of it. */
  readonly unstarted: ReadonlyMap<string, UnendedCall>;
}

export function sortCutCalls({ calls, questions }: JournalState): CutCalls {
  const asked = new Map(
    [...questions].flatMap(([id, { kind, toolCallId }]) =>
      // Whoever asked in the middle of its work is gone, and its work with it.
      kind === "elicitation" || toolCallId === null ? [] : [[toolCallId, id]],
    ),
  );
  const interrupted = new Map<string, UnendedCall>();
  const waiting = new Map<string, UnendedCall & { questionId: string }>();
  const unstarted = new Map<string, UnendedCall>();
  for (const [id, call] of calls) {
    const questionId = asked.get(id);
    // A call to somebody outside has been handed over, and still only waits: nothing of ours has run.
    if (questionId !== undefined && isOwn(call)) waiting.set(id, { ...call, questionId });
    else (call.running ? interrupted : unstarted).set(id, call);
  }
  return { interrupted, waiting, unstarted };
}

/** Made by the session itself: what a subagent or another call made ends with those. */
function isOwn({ agent, parentToolCallId }: UnendedCall): boolean {
  return agent === null && parentToolCallId === null;
}

/** An extension works on its calls by itself, and nobody else could answer. */
export function isAnsweredByAnybody({ data }: { readonly data: unknown }): boolean {
  const owner = typeof data === "object" && data !== null && "owner" in data ? data.owner : null;
  return !(typeof owner === "object" && owner !== null && "kind" in owner && owner.kind === "extension");
}
