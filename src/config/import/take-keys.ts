import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, isEmpty, isNull, nodeAt } from "../../core/shape/node.ts";
import { entriesAt, readFlag } from "../../core/shape/read-node.ts";

interface Leaving {
  readonly leave: (what: string, why: string, origin: Origin) => void;
}

/** Takes a key over, and reports what it does not take over. */
export type KeyReader<T> = (node: ConfigNode, taking: T, what: string) => void;
/** How a key is read, or why it is left out. */
export type KeyRow<T> = KeyReader<T> | string;
export type KeyRows<T> = ReadonlyMap<string, KeyRow<T>>;

const NOWHERE = "there is no such setting here";

/**
 * Each key of a map by its row, so that none is lost without a report: keys without a row are left out for the reason
 * `otherwise`. What is empty or switched off says nothing.
 */
export function takeKeys<T extends Leaving>(
  map: ConfigNode,
  rows: KeyRows<T>,
  taking: T,
  nameOf: (keys: string) => string = (keys) => keys,
  otherwise: string = NOWHERE,
): void {
  const left = new Map<string, { readonly keys: string[]; readonly origin: Origin }>();
  const isOff = readFlag(nodeAt(map, "enabled"))?.value === false;
  for (const [key, node] of entriesAt(map)) {
    const row = rows.get(key) ?? otherwise;
    if (isNull(node)) continue;
    if (typeof row !== "string") row(node, taking, nameOf(key));
    else if (!isOff && key !== "enabled" && !isEmpty(node) && readFlag(nodeAt(node, "enabled"))?.value !== false) {
      const known = left.get(row) ?? { keys: [], origin: node.origin };
      known.keys.push(key);
      left.set(row, known);
    }
  }
  for (const [why, { keys, origin }] of left) taking.leave(nameOf(keys.join(", ")), why, origin);
}

/** A map whose keys have rows of their own. */
export function within<T extends Leaving>(rows: KeyRows<T>, otherwise?: string): KeyReader<T> {
  return (node, taking, what) => takeKeys(node, rows, taking, (keys) => `${keys} of ${what}`, otherwise);
}
