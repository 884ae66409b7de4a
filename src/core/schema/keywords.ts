import { isRecord, type JsonObject, listOf, objectOf, put } from "../shape/json-value.ts";

type Nested = "schema" | "schemas" | "named";
type Check = (value: unknown) => boolean;

/** Keywords of JSON Schema that hold schemas: one, a list of them, or several by names that the author chose. */
const HOLDING: ReadonlyMap<string, Nested> = new Map([
  ...each<Nested>("items additionalProperties contains propertyNames not if then else", "schema"),
  ...each<Nested>("unevaluatedItems unevaluatedProperties", "schema"),
  ...each<Nested>("anyOf oneOf allOf prefixItems", "schemas"),
  ...each<Nested>("properties patternProperties dependentSchemas $defs definitions", "named"),
]);

/** Keywords with one number, text or flag, and whether a value is one. */
const PLAIN: ReadonlyMap<string, Check> = new Map([
  ...each("minimum maximum exclusiveMinimum exclusiveMaximum", isFiniteNumber),
  ...each(
    "description title format contentEncoding contentMediaType $comment",
    (value: unknown) => typeof value === "string",
  ),
  ...each("multipleOf", (value: unknown) => isFiniteNumber(value) && Number(value) > 0),
  ...each("uniqueItems", (value: unknown) => typeof value === "boolean"),
]);

export const COUNTS = ["Length", "Items", "Properties", "Contains"].flatMap((of) => [`min${of}`, `max${of}`]);

export const TYPES: ReadonlySet<unknown> = new Set("string number integer boolean object array null".split(" "));

const isSchema = (value: unknown): boolean => isRecord(value) || typeof value === "boolean";
const HOLDERS: Readonly<Record<Nested, Check>> = {
  schema: isSchema,
  schemas: (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  named: isRecord,
};

/** Whether the author of a schema chooses the names in a keyword's value. */
export function isNaming(keyword: string): boolean {
  return HOLDING.get(keyword) === "named";
}

/** Whether a keyword's value holds schemas as it should; null if the keyword holds none. */
export function holdsSchemas(keyword: string, value: unknown): boolean | null {
  const nested = HOLDING.get(keyword);
  return nested === undefined ? null : HOLDERS[nested](value);
}

export interface SubSchema {
  readonly keyword: string;
  /** The chosen name, or the position in a list; null if the keyword holds one schema. */
  readonly name: string | number | null;
  readonly schema: unknown;
}

/** Every schema that a schema holds directly, in written order. */
export function subSchemas(schema: JsonObject): readonly SubSchema[] {
  const found: SubSchema[] = [];
  for (const [keyword, value] of Object.entries(schema))
    mapParts(keyword, value, (part, name) => void found.push({ keyword, name, schema: part }));
  return found;
}

/**
 * The value of a keyword with each schema in it changed; the value of another keyword stays, and what should hold
 * schemas and does not is empty. Older drafts write a tuple as a list of `items`.
 */
export function mapParts(
  keyword: string,
  value: unknown,
  change: (part: unknown, name: string | number | null) => unknown,
): unknown {
  const nested = HOLDING.get(keyword);
  if (nested === undefined) return value;
  if (nested === "schema" && !Array.isArray(value)) return change(value, null);
  if (nested !== "named") return listOf(value).map(change);
  const changed: JsonObject = {};
  for (const [name, part] of Object.entries(objectOf(value))) put(changed, name, change(part, name));
  return changed;
}

/** False for a value that means nothing there; true where it depends on more than its type. */
export function mayHold(keyword: string, value: unknown): boolean {
  return PLAIN.get(keyword)?.(value) !== false;
}

export function isFiniteNumber(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value);
}

function each<T>(keywords: string, value: T): readonly (readonly [string, T])[] {
  return keywords.split(" ").map((keyword) => [keyword, value]);
}
