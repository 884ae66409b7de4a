import type { JournalEnd, StoredEvent } from "../../../core/events/envelope.ts";
import type { NewSession } from "../store.ts";

/** Events that follow an end, with data of any kind. */
export function eventsAfter({ seq, last }: JournalEnd, count: number, data: unknown = {}): readonly StoredEvent[] {
  const idOf = (at: number): string => `event-${at}-${Math.random().toString(36).slice(2)}`;
  const ids = Array.from({ length: count }, (_, at) => idOf(seq + at + 1));
  return ids.map((id, at) => ({
    id,
    seq: seq + at + 1,
    at: 1_000 + at,
    parent: at === 0 ? last : (ids[at - 1] ?? null),
    agent: null,
    type: "skill.invoked",
    data,
  }));
}

export const SESSION: NewSession = { id: "one", person: "ada", project: "/work" };

/** What breaks first if text is not stored unchanged. */
export const ODD_DATA = {
  nul: "before\0after",
  lone: "\ud800",
  emoji: "👩‍👩‍👧",
  quotes: `'"\\;--$1?:a`,
  numbers: [0.1, 1e300, -1, Number.MAX_SAFE_INTEGER],
  nothing: [null, false, "", [], {}],
  ...JSON.parse('{"__proto__":{"a":1}}'),
};
