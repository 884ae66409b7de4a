import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { StoredEvent } from "../../core/events/envelope.ts";
import { isKnown } from "../../core/events/fold-journal.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { readWorldParts } from "../../core/toolset/world-parts.ts";
import type { Store, StoredSession } from "../store/store.ts";

/** A point of a session: the number of an event, or milliseconds since 1970. */
export type SessionPoint = { readonly seq: number } | { readonly time: number };

/** A request to a model that a session made. */
export interface PastRequest {
  /** The id of the session. */
  readonly session: string;
  /** The event that has it, and when it happened. */
  readonly seq: number;
  readonly at: number;
}

export interface WorldThen extends PastRequest {
  readonly toolset: Toolset;
}

/** How the command line names that request. */
export function toPastOptions({ session, seq }: PastRequest): string {
  return `--session ${session} --at ${seq}`;
}

/** Events that are read at once, from the point backwards. */
const AT_ONCE = 500;

/** The toolset of the last request to a model up to that point, of the session itself or of a subagent. */
export async function readWorldAt(
  store: Store,
  { id, events }: Pick<StoredSession, "id" | "events">,
  point: SessionPoint | null,
  agent: string | null = null,
): Promise<WorldThen> {
  const isUpTo = (event: StoredEvent): boolean =>
    point === null || ("seq" in point ? event.seq <= point.seq : event.at <= point.time);
  const first = point !== null && "seq" in point ? Math.min(point.seq, events) : events;
  for (let end = first; end > 0; end -= AT_ONCE) {
    const after = Math.max(0, end - AT_ONCE);
    const some = await store.read(id, { after, limit: end - after });
    for (const event of [...some].filter(isKnown).reverse()) {
      if (event.type !== "session.world_changed" || event.agent !== agent || !isUpTo(event)) continue;
      const toolset = await readWorldParts(event.data.world, store.parts);
      return { toolset, session: id, seq: event.seq, at: event.at };
    }
  }
  throw new ToolcribError(
    "store.no-world",
    `session ${id} had not asked a model by then, so nothing says which tools it would have had; "toolcrib sessions show ${id}" lists its events`,
  );
}
