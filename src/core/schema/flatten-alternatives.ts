import { isRecord, type JsonObject, listOf, objectOf, put } from "../shape/json-value.ts";

const MOST_LEVELS = 8;

/**
 * One object schema instead of combinators: the properties of all alternatives side by side, requiring what all of them
 * require. `note` states what the alternatives meant, because the schema no longer can.
 */
export function flattenAlternatives(
  schema: JsonObject,
  resolve: (part: unknown) => JsonObject,
  level = 0,
): { readonly schema: JsonObject; readonly note: string | null } {
  const { anyOf, oneOf, allOf, enum: _enum, not: _not, ...base } = schema;
  let flat: JsonObject = base;
  const notes: string[] = [];
  const open = (part: unknown): JsonObject => {
    const inner = resolve(part);
    if (level >= MOST_LEVELS) return inner;
    const { schema: opened, note } = flattenAlternatives(inner, resolve, level + 1);
    if (note !== null) notes.push(note);
    return opened;
  };
  for (const part of listOf(allOf)) flat = mergeSchemas(flat, open(part));
  for (const alternatives of [listOf(anyOf), listOf(oneOf)]) {
    if (alternatives.length === 0) continue;
    const branches = alternatives.map(open);
    const groups = branches.map(({ required }) => listOf(required).map(String));
    const common = groups[0]?.filter((name) => groups.every((group) => group.includes(name))) ?? [];
    for (const { required: _required, ...branch } of branches) flat = mergeSchemas(flat, branch);
    if (common.length > 0) flat = mergeSchemas(flat, { required: common });
    const note = toNote(groups);
    if (note !== null) notes.push(note);
  }
  return { schema: flat, note: notes.length === 0 ? null : [...new Set(notes)].join(" ") };
}

function toNote(groups: readonly (readonly string[])[]): string | null {
  const written = [...new Set(groups.map((group) => group.join(", ")))].filter((group) => group !== "");
  return written.length < 2 ? null : `Give one of these groups of parameters: ${written.join("; or ")}.`;
}

/** The conjunction of both. Different schemas for one property become a choice. */
export function mergeSchemas(left: JsonObject, right: JsonObject): JsonObject {
  const merged: JsonObject = { ...left };
  for (const [key, value] of Object.entries(right)) {
    if (key === "properties") merged.properties = mergeProperties(objectOf(left.properties), objectOf(value));
    else if (key === "required") merged.required = [...new Set([...listOf(left.required), ...listOf(value)])];
    else if (key === "additionalProperties" && left.properties !== undefined && value === false) continue;
    else if (merged[key] === undefined) put(merged, key, value);
  }
  return merged;
}

function mergeProperties(left: JsonObject, right: JsonObject): JsonObject {
  const merged: JsonObject = { ...left };
  for (const [name, schema] of Object.entries(right)) {
    const own = Object.hasOwn(left, name) ? left[name] : undefined;
    put(merged, name, own === undefined || isSame(own, schema) ? schema : { anyOf: [...choices(own), schema] });
  }
  return merged;
}

function choices(schema: unknown): readonly unknown[] {
  return isRecord(schema) && Object.keys(schema).length === 1 ? [...listOf(schema.anyOf ?? [schema])] : [schema];
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
