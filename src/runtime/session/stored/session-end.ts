import { findCutRun } from "../../../core/events/close-cut.ts";
import { sortCutCalls } from "../../../core/events/cut-calls.ts";
import type { StoredEvent } from "../../../core/events/envelope.ts";
import { foldJournal, isKnown } from "../../../core/events/fold-journal.ts";
import { findEarlierAgents } from "../../agents/earlier-agents.ts";
import type { Store, StoredSession } from "../../store/store.ts";

/** What is left after the last event of a session. */
export type SessionEnd =
  /** A living process holds it. */
  | { readonly kind: "open" }
  /** Nothing is left to do. */
  | { readonly kind: "done" }
  | SessionCut;

/** Its process ended before its work was done. */
interface SessionCut {
  readonly kind: "cut";
  /** Tools of calls that ran, and may have taken effect. */
  readonly ran: readonly string[];
  /** Tools of calls that had not started. */
  readonly unstarted: readonly string[];
  /** Tools of calls that still wait for somebody. */
  readonly waiting: readonly string[];
  /** Ids of child agents that were at work. */
  readonly agents: readonly string[];
}

export async function findEnd(
  store: Store,
  session: StoredSession,
  events: readonly StoredEvent[],
): Promise<SessionEnd> {
  if ((await findHolders(store))(session)) return { kind: "open" };
  const known = events.filter(isKnown);
  const { interrupted, unstarted, waiting } = sortCutCalls(foldJournal(events));
  const agents = [...findEarlierAgents(known)].flatMap(([id, { end }]) => (end === null ? [id] : []));
  const isCut = interrupted.size + unstarted.size + waiting.size + agents.length > 0 || findCutRun(known) !== null;
  if (!isCut) return { kind: "done" };
  const toolsOf = (calls: ReadonlyMap<string, { readonly toolName: string }>): readonly string[] => [
    ...new Set([...calls.values()].map(({ toolName }) => toolName)),
  ];
  return {
    kind: "cut",
    ran: toolsOf(interrupted),
    unstarted: toolsOf(unstarted),
    waiting: toolsOf(waiting),
    agents,
  };
}

/** Whether a living process holds a session. */
export async function findHolders(store: Store): Promise<(session: StoredSession) => boolean> {
  const machines = new Set((await store.machines()).map(({ id }) => id));
  return ({ machine }) => machine !== null && machines.has(machine);
}
