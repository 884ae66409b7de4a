import { COUNTS, holdsSchemas, mayHold, subSchemas, TYPES } from "../../../core/schema/keywords.ts";
import { MAX_SCHEMA_WEIGHT, mayBeHeavy, schemaWeight } from "../../../core/schema/schema-weight.ts";
import { isObject, type Params } from "../wire/json-rpc.ts";

/** An output schema in the form of each era; null if it has none. */
export interface OutputSchema {
  readonly modern: Params;
  /** Whether the older era gets the value under `result`, because its results are objects. */
  readonly isWrapped: boolean;
  readonly legacy: Params | null;
}

/** What a client is told about the results of one tool. */
export interface ToolPromise {
  readonly schema: OutputSchema;
  /** The tool's signature, which covers the schema (N10). */
  readonly signature: string;
  /** Null if it is no server's. */
  readonly server: string | null;
}

/**
 * A tool's output schema, if every client can use it. The official clients compile these schemas when they list tools,
 * some in one place for all tools, so a schema that one of them rejects would cost the tools of all other servers too.
 * Such a schema is not shown, and nothing is promised.
 */
export function toOutputSchema(schema: unknown): OutputSchema | null {
  if (!isObject(schema)) return null;
  const { isPlain, hasReferences } = inspect(schema);
  if (!isPlain || isHeavy(schema)) return null;
  if (schema.type === "object") return { modern: schema, isWrapped: false, legacy: schema };
  const { $schema, ...own } = schema;
  // References count from the root, which changes inside a wrapper.
  const legacy = hasReferences
    ? null
    : {
        ...($schema === undefined ? {} : { $schema }),
        type: "object",
        properties: { result: own },
        required: ["result"],
      };
  return { modern: schema, isWrapped: legacy !== null, legacy };
}

/** No result could be checked with it in time, so every result would count as one that does not fit. */
function isHeavy(schema: Params): boolean {
  try {
    const text = JSON.stringify(schema);
    return mayBeHeavy(text.length, text) && schemaWeight(schema, text) > MAX_SCHEMA_WEIGHT;
  } catch {
    return true;
  }
}

const MOST_NODES = 5_000;
const MOST_PATTERN = 500;
const DIALECT = /^https?:\/\/json-schema\.org\/(?:draft\/20(?:19-09|20-12)|draft-0[67])\/schema#?$/;

const isText = (value: unknown): boolean => typeof value === "string";
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isType = (value: unknown): boolean => TYPES.has(value);

/** Further requirements for values. Unknown keywords are ignored. */
const VALUES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["type", (value) => isType(value) || (Array.isArray(value) && isSet(value) && value.every(isType))],
  ["enum", (value) => Array.isArray(value) && value.length > 0],
  ["required", isNames],
  ["dependentRequired", (value) => isObject(value) && Object.values(value).every(isNames)],
  ...COUNTS.map((key) => [key, isCount] as const),
  ["pattern", isPattern],
]);

/** Keywords that hold examples, which may look like anything. */
const INSTANCES: ReadonlySet<string> = new Set(["const", "default"]);

/** Keywords that name schemas beyond one tool, change how they are read, or are read in several ways. */
const REFUSED: ReadonlySet<string> = new Set([
  ...["$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef", "$vocabulary"],
  ...["$async", "nullable", "additionalItems", "dependencies", "__proto__"],
]);

interface Inspected {
  readonly isPlain: boolean;
  readonly hasReferences: boolean;
}

/** Not recursive, so that depth does not matter. */
function inspect(root: Params): Inspected {
  const open: unknown[] = [root];
  const references: string[] = [];
  let hasReferences = false;
  for (let nodes = 0; open.length > 0; nodes += 1) {
    const node = open.pop();
    if (typeof node === "boolean") continue;
    if (nodes >= MOST_NODES || !isObject(node)) return { isPlain: false, hasReferences };
    for (const key of Object.keys(node)) {
      const value = node[key];
      if (key === "$schema") {
        if (node !== root || typeof value !== "string" || !DIALECT.test(value))
          return { isPlain: false, hasReferences };
      } else if (key === "$ref") {
        hasReferences = true;
        if (!leadsToSchema(root, value)) return { isPlain: false, hasReferences };
        references.push(String(value));
      } else if (REFUSED.has(key) || !mayHold(key, value) || !addParts(key, value, open))
        return { isPlain: false, hasReferences };
    }
  }
  return { isPlain: writtenOut(root, references) <= MOST_NODES, hasReferences };
}

/**
 * How much a client's validator expands references when it compiles: their targets, once for each reference, unless
 * those have references of their own. Otherwise a few kilobytes could fill a client's memory when it lists tools.
 */
function writtenOut(root: Params, references: readonly string[]): number {
  const sizes = new Map<string, number>();
  let written = 0;
  for (const reference of references) {
    const [, at = "", name = ""] = reference.split("/");
    const map = root[at];
    const size = sizes.get(reference) ?? (isObject(map) ? sizeOf(map[name]) : 0);
    sizes.set(reference, size);
    written += size;
  }
  return written;
}

/** Objects and lists inside, none if there is a reference among them. */
function sizeOf(schema: unknown): number {
  const open = [schema];
  let size = 0;
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    if ("$ref" in node) return 0;
    size += 1;
    for (const part of Object.values(node)) open.push(part);
  }
  return size;
}

/** Adds the schemas inside one keyword to the list; false if the keyword cannot have such a value. */
function addParts(key: string, value: unknown, open: unknown[]): boolean {
  const check = VALUES.get(key);
  if (check !== undefined) return check(value);
  const holds = holdsSchemas(key, value);
  if (holds === null) {
    // Some validators look for schema names in unknown keywords too.
    if (key === "contentSchema" || (isObject(value) && !INSTANCES.has(key))) open.push(value);
    return true;
  }
  return (
    holds &&
    subSchemas({ [key]: value }).every(({ name, schema }) => {
      open.push(schema);
      return name !== "__proto__" && (key !== "patternProperties" || isPattern(name));
    })
  );
}

/** Inside this one document, by its path, to something that is checked as a schema anyway. */
function leadsToSchema(root: Params, reference: unknown): boolean {
  const found =
    typeof reference === "string" ? /^#\/(\$defs|definitions)\/([A-Za-z0-9_.-]{1,100})$/.exec(reference) : null;
  if (found === null) return reference === "#";
  const [, at = "", name = ""] = found;
  const map = root[at];
  return isObject(map) && Object.hasOwn(map, name);
}

/**
 * Clients run these patterns on what the server answers, with engines that can be kept busy for ever. That takes
 * choices that multiply, so there may be one part of variable length and one group, which is not repeated.
 */
function isPattern(value: unknown): boolean {
  if (typeof value !== "string" || value.length > MOST_PATTERN) return false;
  const variable = value.match(/[*+]|\{\d*,\d*\}|(?<![(*+?}])\?/g) ?? [];
  const groups = value.match(/\(/g) ?? [];
  if (variable.length > 1 || groups.length > 1 || /\)[*+?{]|\\[1-9k]/.test(value)) return false;
  try {
    new RegExp(value, "u");
    return true;
  } catch {
    return false;
  }
}

function isSet(values: readonly unknown[]): boolean {
  return values.length > 0 && new Set(values).size === values.length;
}
