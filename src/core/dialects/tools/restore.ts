import { isRecord, type JsonObject, put } from "../../shape/json-value.ts";

/** What to undo in arguments because the schema was shaped; mirrors the schema's structure. */
export interface Restore {
  /** By the property name that was sent. */
  readonly properties: Map<string, RestoredProperty>;
  items: Restore | null;
  /** Enum values that were sent as text. */
  readonly values: Map<string, unknown>;
}

interface RestoredProperty {
  readonly name: string;
  /** Null was offered only to mean "absent". */
  readonly nullIsAbsent: boolean;
  readonly inner: Restore;
}

export function createRestore(): Restore {
  return { properties: new Map(), items: null, values: new Map() };
}

/** Merges what another alternative for the same value needs undone. */
export function mergeRestore(into: Restore, from: Restore): void {
  for (const [key, property] of from.properties) if (!into.properties.has(key)) into.properties.set(key, property);
  for (const [key, value] of from.values) if (!into.values.has(key)) into.values.set(key, value);
  into.items ??= from.items;
}

/** Whether nothing has to be undone. Most tools need nothing, and are not walked. */
export function restoresNothing(restore: Restore, seen: Set<Restore> = new Set()): boolean {
  if (seen.has(restore)) return true;
  seen.add(restore);
  if (restore.values.size > 0 || (restore.items !== null && !restoresNothing(restore.items, seen))) return false;
  return [...restore.properties].every(
    ([key, { name, nullIsAbsent, inner }]) => key === name && !nullIsAbsent && restoresNothing(inner, seen),
  );
}

/** Arguments as the tool's own schema spells them. What the schema does not mention stays unchanged. */
export function restoreArguments(value: unknown, restore: Restore): unknown {
  if (typeof value === "string") return restore.values.has(value) ? restore.values.get(value) : value;
  if (Array.isArray(value)) {
    const { items } = restore;
    return items === null ? value : value.map((item) => restoreArguments(item, items));
  }
  if (!isRecord(value)) return value;
  const restored: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const property = restore.properties.get(key);
    if (property === undefined) put(restored, key, member);
    else if (member !== null || !property.nullIsAbsent)
      put(restored, property.name, restoreArguments(member, property.inner));
  }
  return restored;
}
