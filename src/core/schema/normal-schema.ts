import { isRecord, type JsonObject, listOf, put } from "../shape/json-value.ts";
import { COUNTS, holdsSchemas, isFiniteNumber, mayHold, TYPES } from "./keywords.ts";

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isText = (value: unknown): boolean => typeof value === "string";
const isFlag = (value: unknown): boolean => typeof value === "boolean";

/** What the value of a keyword must be; a keyword with another value means nothing and is left out. */
const VALUES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ...COUNTS.map((key) => [key, isCount] as const),
  ...["deprecated", "readOnly", "writeOnly"].map((key) => [key, isFlag] as const),
  ["pattern", isPattern],
  ["examples", Array.isArray],
  ["enum", Array.isArray],
  ["required", Array.isArray],
  ["dependentRequired", isRecord],
  ["$ref", isText],
]);

/** Keywords that name a schema for references: they would point elsewhere once a schema is moved or inlined. */
const DROPPED: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$anchor",
  "$dynamicRef",
  "$dynamicAnchor",
  "nullable",
]);

/** One schema in the terms of draft 2020-12, whatever draft it was written in; nested schemas are not changed. */
export function toNormalSchema(written: JsonObject): JsonObject {
  const normal: JsonObject = {};
  for (const [key, value] of Object.entries(fromOldDrafts(written))) {
    if (DROPPED.has(key) || !fits(key, value)) continue;
    put(normal, key, value);
  }
  const types = listOf(Array.isArray(written.type) ? written.type : [written.type]).filter((type) => TYPES.has(type));
  if (written.nullable === true && types.length > 0 && !types.includes("null")) types.push("null");
  delete normal.type;
  if (types.length > 0) normal.type = types.length === 1 ? types[0] : [...new Set(types)];
  if (Array.isArray(normal.required)) normal.required = [...new Set(normal.required.filter(isText))];
  if (Array.isArray(normal.enum)) {
    const values = toDistinct(written.nullable === true ? [...normal.enum, null] : normal.enum);
    if (values.length > 0) normal.enum = values;
    else delete normal.enum;
  }
  return normal;
}

/** Tuples in `items`, bounds made exclusive by a flag, definitions under their old name. */
function fromOldDrafts(written: JsonObject): JsonObject {
  const { definitions, ...rest } = written;
  const now: JsonObject = rest;
  if (isRecord(definitions) && now.$defs === undefined) now.$defs = definitions;
  if (Array.isArray(now.items)) {
    now.prefixItems ??= now.items;
    delete now.items;
    if (holdsSchemas("items", now.additionalItems)) now.items = now.additionalItems;
  }
  for (const [flag, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof now[flag] !== "boolean") continue;
    if (now[flag] === true && isFiniteNumber(now[bound])) {
      now[flag] = now[bound];
      delete now[bound];
    } else delete now[flag];
  }
  return now;
}

function fits(key: string, value: unknown): boolean {
  return holdsSchemas(key, value) ?? (mayHold(key, value) && VALUES.get(key)?.(value) !== false);
}

function toDistinct(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

function isPattern(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    return new RegExp(value, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
