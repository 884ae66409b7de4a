import { setImmediate } from "node:timers/promises";
import { backoffDelay } from "../../../system/time/backoff.ts";
import type { Bell } from "../back-end.ts";
import type { Client } from "./load-pg.ts";

export interface PostgresBell extends Bell {
  close(): Promise<void>;
}

const BACKOFF = { backoffFirst: 250, backoffMost: 5_000 };
/** Bytes that one notification carries, at most 8,000. */
const PAYLOAD = 7_000;

/**
 * Wakes other machines with ids only, on its own connection, outside the transactions that they refer to. A lost
 * notification only costs time, because everybody also polls.
 */
export function createPostgresBell(connect: () => Client, channel: string): PostgresBell {
  let listener: (ids: readonly string[] | null) => void = () => {};
  let client: Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let closed = false;
  const waiting = new Set<string>();
  const listen = async (failures: number): Promise<void> => {
    const fresh = connect();
    let [lost, attempt] = [false, failures];
    const again = (): void => {
      if (lost || closed) return;
      lost = true;
      client = null;
      void fresh.end().catch(() => {});
      timer = setTimeout(() => void listen(attempt + 1), backoffDelay(attempt, Math.random(), BACKOFF));
    };
    fresh.on("error", again);
    fresh.on("end", again);
    fresh.on("notification", ({ payload }) => listener(payload ? payload.split(",") : null));
    try {
      await fresh.connect();
      await fresh.query(`LISTEN ${channel}`);
      if (closed) return void (await fresh.end());
      client = fresh;
      attempt = 0;
      listener(null);
    } catch {
      again();
    }
  };
  const send = async (): Promise<void> => {
    await setImmediate();
    const payloads = toPayloads([...waiting]);
    waiting.clear();
    for (const payload of payloads) await client?.query("SELECT pg_notify($1, $2)", [channel, payload]).catch(() => {});
  };
  return {
    ring(ids) {
      const isFirst = waiting.size === 0;
      for (const id of ids) waiting.add(id);
      if (isFirst && !closed) void send();
    },
    listen(onIds) {
      listener = onIds;
      void listen(0);
    },
    async close() {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await client?.end().catch(() => {});
    },
  };
}

/** Ids that contain a comma or are too long become a call to check everything. */
function toPayloads(ids: readonly string[]): readonly string[] {
  if (ids.some((id) => id.includes(",") || id.length > 200)) return [""];
  const payloads: string[] = [];
  let now = "";
  for (const id of ids) {
    if (Buffer.byteLength(now) + Buffer.byteLength(id) > PAYLOAD) {
      payloads.push(now);
      now = "";
    }
    now = now === "" ? id : `${now},${id}`;
  }
  return [...payloads, now];
}
