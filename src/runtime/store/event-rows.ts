import { createHash } from "node:crypto";
import type { StoredEvent } from "../../core/events/envelope.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { EventRow } from "./back-end.ts";

/** Characters of JSON from which a value of an event is stored separately, once for all events that have it (S10). */
const LARGE = 65_536;

export interface RowWithParts {
  readonly row: EventRow;
  /** By hash. */
  readonly parts: ReadonlyMap<string, string>;
}

const NONE: ReadonlyMap<string, string> = new Map();

/** An event as it is stored, with large values of its data stored separately. */
export function toRow(event: StoredEvent): RowWithParts {
  const { seq, id, type, at, data } = event;
  const whole = toJson(event);
  if (whole.length <= LARGE || !isRecord(data))
    return { row: { seq, id, type, at, body: whole, apart: null }, parts: NONE };
  const parts = new Map<string, string>();
  const apart: Record<string, string> = {};
  const near = Object.entries(data).filter(([key, value]) => {
    const text: string | undefined = toJson(value);
    if (text === undefined || text.length <= LARGE) return true;
    const hash = hashOf(text);
    parts.set(hash, text);
    apart[key] = hash;
    return false;
  });
  const body = toJson({ ...event, data: Object.fromEntries(near) });
  return { row: { seq, id, type, at, body, apart: parts.size > 0 ? JSON.stringify(apart) : null }, parts };
}

/** Rows as events, with the separate values restored. */
export async function fromRows(
  rows: readonly EventRow[],
  load: (hashes: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<readonly StoredEvent[]> {
  const hashes = rows.flatMap(({ apart }) => (apart === null ? [] : Object.values(toHashes(apart))));
  const parts = hashes.length > 0 ? await load(hashes) : new Map<string, string>();
  return rows.map(({ body, apart }): StoredEvent => {
    const event = JSON.parse(body);
    if (apart === null) return event;
    const far = Object.entries(toHashes(apart)).map(([key, hash]) => [key, JSON.parse(parts.get(hash) ?? "null")]);
    return { ...event, data: { ...event.data, ...Object.fromEntries(far) } };
  });
}

/** A tool or a program may put anything into an event: a value that JSON cannot express must not end the session. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    const seen = new WeakSet<object>();
    return JSON.stringify(value, (_, part: unknown) => {
      if (typeof part === "bigint") return String(part);
      if (typeof part !== "object" || part === null) return part;
      if (seen.has(part)) return "[seen before]";
      seen.add(part);
      return part;
    });
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function toHashes(apart: string): Readonly<Record<string, string>> {
  return JSON.parse(apart);
}
