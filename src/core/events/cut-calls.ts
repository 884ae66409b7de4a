import type { JournalState, UnendedCall } from "./journal-state.ts";

/** Calls that had not ended when their process did, by what becomes of them. */
export interface CutCalls {
  /** Their source was asked and never answered: they may or may not have taken effect. */
  readonly interrupted: ReadonlyMap<string, UnendedCall>;
  /** They wait for somebody, and go on waiting. */
  readonly waiting: ReadonlyMap<string, UnendedCall>;
  /** They were accepted, and nothing has come of it. */
  readonly unstarted: ReadonlyMap<string, UnendedCall>;
}

export function sortCutCalls({ calls, questions }: JournalState): CutCalls {
  const asked = new Set([...questions.values()].map(({ toolCallId }) => toolCallId));
  const sorted = { interrupted: new Map(), waiting: new Map(), unstarted: new Map() } satisfies CutCalls;
  for (const [id, call] of calls) {
    // A call to somebody outside has been handed over, and still only waits: nothing of ours has run.
    const kind = asked.has(id) ? "waiting" : call.running ? "interrupted" : "unstarted";
    sorted[kind].set(id, call);
  }
  return sorted;
}
