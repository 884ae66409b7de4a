import { randomUUID } from "node:crypto";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { KnownEvent, StoredEvent } from "../../../core/events/envelope.ts";
import { isKnown } from "../../../core/events/fold-journal.ts";
import { partsOfWorld } from "../../../core/toolset/world-parts.ts";
import type { Store } from "../../store/store.ts";

/** Where a session is forked. */
export interface ForkPoint {
  /** The number of the last event to copy; the newest if absent. */
  readonly at?: number;
  /** The id of the new session; generated if absent. */
  readonly sessionId?: string;
}

/** Events that are copied at once. */
const AT_ONCE = 500;

/** Copies a session up to some point into a new one, which can be resumed at once; returns its id. */
export async function forkStored(
  store: Store,
  from: string,
  { at, sessionId = randomUUID() }: ForkPoint,
): Promise<string> {
  const [found] = await store.sessions({ id: from });
  if (found === undefined) throw new ToolcribError("store.unknown-session", `there is no session ${from} in the store`);
  const end = Math.min(at ?? found.events, found.events);
  const journal = await store.create({ id: sessionId, person: found.person, project: found.project });
  try {
    for (let after = 0; after < end; after += AT_ONCE) {
      const events = await store.read(from, { after, limit: Math.min(AT_ONCE, end - after) });
      for (const event of events.filter(isKnown)) await journal.keep(await partsOf(event, store.parts));
      await journal.append(events);
    }
    const { seq, last } = journal.end;
    const data = { from, at: end };
    const event = {
      id: randomUUID(),
      seq: seq + 1,
      at: Date.now(),
      parent: last,
      agent: null,
      critical: true,
    } as const;
    await journal.append([{ ...event, type: "session.forked", data } satisfies StoredEvent]);
  } finally {
    await journal.release();
  }
  return sessionId;
}

/** What an event names by its hash. */
async function partsOf({ type, data }: KnownEvent, load: Store["parts"]): Promise<ReadonlyMap<string, string>> {
  if (type === "session.world_changed") return partsOfWorld(data.world, load);
  return type === "tool.result_kept" ? load([data.id]) : new Map();
}
