import type { StoredEvent } from "../../core/events/envelope.ts";
import { isKnown } from "../../core/events/fold-journal.ts";
import type { Store, StoredSession } from "../store/store.ts";
import { toTimeline } from "./session-timeline.ts";

/** A short description of a stored session. */
export interface SessionSummary {
  readonly id: string;
  readonly created: string;
  readonly changed: string;
  /** A person's first message; empty if there is none. */
  readonly prompt: string;
  readonly events: number;
}

/** What needs all of its events. */
export interface WholeSession extends SessionSummary {
  /** Requests to models, including those of child agents. */
  readonly requests: number;
  /** US dollars; null if the price of a model is unknown. */
  readonly cost: number | null;
}

/** Events among which a person's first message is looked for. */
const FIRST = 50;

/** Reads only the beginning, so that a list is quick however long its sessions are. */
export async function summarize(store: Store, session: StoredSession): Promise<SessionSummary> {
  const { id, created, changed, events } = session;
  const first = await store.read(id, { limit: FIRST });
  return { id, created: toDate(created), changed: toDate(changed), prompt: findPrompt(first), events };
}

/** Sessions that are read at the same time: a store has few connections, and others need some of them too. */
const AT_ONCE = 4;

/** In the same order, a few at a time. */
export async function summarizeAll(
  store: Store,
  sessions: readonly StoredSession[],
): Promise<readonly SessionSummary[]> {
  const all: SessionSummary[] = [];
  for (let at = 0; at < sessions.length; at += AT_ONCE)
    all.push(...(await Promise.all(sessions.slice(at, at + AT_ONCE).map((session) => summarize(store, session)))));
  return all;
}

export function summarizeEvents(
  { id, created, changed }: Pick<StoredSession, "id" | "created" | "changed">,
  events: readonly StoredEvent[],
): WholeSession {
  const costs = events.filter(isKnown).flatMap((event) => (event.type === "assistant.usage" ? [event.data.cost] : []));
  return {
    id,
    created: toDate(created),
    changed: toDate(changed),
    prompt: findPrompt(events),
    events: events.length,
    requests: costs.length,
    cost: costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0),
  };
}

function findPrompt(events: readonly StoredEvent[]): string {
  return toTimeline(events).find(({ kind, title }) => kind === "user" && title === "user")?.text ?? "";
}

function toDate(time: number): string {
  return new Date(time).toISOString();
}
