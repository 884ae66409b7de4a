import type { Stamps } from "../../../core/events/envelope.ts";

const RANDOM = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}(-[\da-f]{4}-[\da-f]{12})$/;

/** Ids with the time in front, as UUIDs of version 7: what is stored under them lies together, not all over an index. */
export function createOrderedIds({ today, newId }: Stamps): () => string {
  let last = { at: 0, count: 0 };
  return () => {
    const id = newId();
    const rest = RANDOM.exec(id)?.[1];
    if (rest === undefined) return id;
    const at = today();
    last = { at, count: at === last.at ? (last.count + 1) % 4096 : 0 };
    const time = at.toString(16).padStart(12, "0");
    const count = last.count.toString(16).padStart(3, "0");
    return `${time.slice(0, 8)}-${time.slice(8)}-7${count}${rest}`;
  };
}
