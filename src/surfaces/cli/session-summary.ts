import type { StoredEvent } from "../../core/events/envelope.ts";
import { isKnown } from "../../core/events/fold-journal.ts";
import type { Store, StoredSession } from "../../runtime/store/store.ts";
import { toTimeline } from "./session-timeline.ts";

/** A stored session in a few words. */
export interface SessionSummary {
  readonly id: string;
  readonly created: string;
  readonly changed: string;
  /** What a person said first; empty where nobody said anything. */
  readonly prompt: string;
  /** Requests to models, those of agents below it included. */
  readonly requests: number;
  /** US dollars; null where the price of a model is not known. */
  readonly cost: number | null;
}

export async function summarize(store: Store, session: StoredSession): Promise<SessionSummary> {
  return summarizeEvents(session, await store.read(session.id));
}

export function summarizeEvents(
  { id, created, changed }: Pick<StoredSession, "id" | "created" | "changed">,
  events: readonly StoredEvent[],
): SessionSummary {
  const costs = events.filter(isKnown).flatMap((event) => (event.type === "assistant.usage" ? [event.data.cost] : []));
  const first = toTimeline(events).find(({ kind, title }) => kind === "user" && title === "user");
  return {
    id,
    created: new Date(created).toISOString(),
    changed: new Date(changed).toISOString(),
    prompt: first?.text ?? "",
    requests: costs.length,
    cost: costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0),
  };
}
