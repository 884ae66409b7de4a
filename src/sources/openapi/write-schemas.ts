import { type At, foldSchema, MOST_OPEN } from "../../core/schema/fold-schema.ts";
import { mapParts, subSchemas } from "../../core/schema/keywords.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { childOf, DocumentFault, type Located, membersOf } from "./api-file.ts";
import { type ApiFiles, findTarget, followReference, referenceOf } from "./references.ts";

/** Schemas of a document as one JSON Schema can hold them: with its own definitions and no outside reference. */
export interface WrittenSchemas {
  /** In the order of what was given. */
  readonly schemas: readonly unknown[];
  readonly definitions: Readonly<Record<string, unknown>>;
}

type Schema = Readonly<Record<string, unknown>>;

/** What only OpenAPI knows, or what does not help to fill in arguments. */
const LEFT_OUT = new Set([
  ...["nullable", "discriminator", "xml", "externalDocs", "example", "readOnly", "writeOnly", "$schema", "$id"],
  ...["$anchor", "$comment", "$vocabulary"],
]);
/** Far more than people write by hand, and far less than a scanner refuses. */
const MOST_PARTS = 20_000;

/**
 * What is referred to once is inlined, and what is referred to more often becomes a definition. A schema that contains
 * itself is referred to at least twice, so it needs no rule of its own.
 */
export function writeSchemas(
  roots: readonly Located[],
  files: ApiFiles,
  without: "readOnly" | "writeOnly" = "readOnly",
): WrittenSchemas {
  const counts = countUses(roots, files);
  const names = nameDefinitions(counts);
  const definitions = new Map<string, unknown>();
  let parts = 0;
  const schemas = roots.map((at) => foldSchema(at.value, at, { levels: MOST_OPEN, visit: write, beyond }));
  return { schemas, definitions: Object.fromEntries(definitions) };

  function write(value: Schema, { place: at, inner }: At<unknown, Located>): unknown {
    parts += 1;
    if (parts > MOST_PARTS) throw new DocumentFault(at, `takes a schema of more than ${MOST_PARTS} parts`);
    const read = (part: Located): unknown => inner(part.value, part);
    const reference = referenceOf(value);
    if (reference === null) return toPlain(writeMembers(at, read), value);
    const target = findTarget(at, reference, files);
    const { $ref: _, ...beside } = writeMembers(at, read);
    const name = names.get(keyOf(target));
    if (name === undefined) return merge(read(target), beside);
    if (!definitions.has(name)) {
      definitions.set(name, true);
      definitions.set(name, read(target));
    }
    return { $ref: `#/$defs/${name}`, ...beside };
  }

  function writeMembers(at: Located, read: (part: Located) => unknown): Schema {
    const members = membersOf(at).flatMap(([key, member]): (readonly [string, unknown])[] => {
      if (LEFT_OUT.has(key) || key.startsWith("x-")) return [];
      const { value } = member;
      if (key === "required" && Array.isArray(value))
        return [[key, value.filter((name) => !isElsewhere(childOf(at, "properties"), String(name)))]];
      const wanted = key === "properties" && isRecord(value) ? withoutElsewhere(member, value) : value;
      return [[key, mapParts(key, wanted, (_part, name) => read(name === null ? member : childOf(member, name)))]];
    });
    return Object.fromEntries(members);
  }

  /** Read-only properties are left out of requests, write-only ones out of answers. */
  function withoutElsewhere(at: Located, properties: Schema): Schema {
    return Object.fromEntries(Object.entries(properties).filter(([name]) => !isElsewhere(at, name)));
  }

  function isElsewhere(properties: Located, name: string): boolean {
    const { value } = followReference(childOf(properties, name), files);
    return isRecord(value) && value[without] === true;
  }
}

/** How often each schema is referred to, by its location. */
function countUses(roots: readonly Located[], files: ApiFiles): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const waiting = [...roots];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const { value } = at;
    if (!isRecord(value)) continue;
    const reference = referenceOf(value);
    if (reference !== null) {
      const target = findTarget(at, reference, files);
      const count = counts.get(keyOf(target)) ?? 0;
      counts.set(keyOf(target), count + 1);
      if (count === 0) waiting.push(target);
      if (counts.size > MOST_PARTS) throw new DocumentFault(at, "refers to more schemas than one tool can have");
    }
    waiting.push(...partsOf(at, value));
  }
  return counts;
}

function partsOf(at: Located, value: Schema): readonly Located[] {
  return subSchemas(value).map(({ keyword, name }) => {
    const member = childOf(at, keyword);
    return name === null ? member : childOf(member, name);
  });
}

function beyond(part: unknown, at: Located): unknown {
  if (isRecord(part)) throw new DocumentFault(at, "is nested too deep to be read");
  return typeof part === "boolean" ? part : {};
}

function nameDefinitions(counts: ReadonlyMap<string, number>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const [key, count] of counts) {
    if (count < 2) continue;
    const base = (key.split("/").at(-1) ?? "").replace(/[^\w.-]/g, "_") || "schema";
    let name = base;
    for (let at = 2; taken.has(name); at += 1) name = `${base}_${at}`;
    taken.add(name);
    names.set(key, name);
  }
  return names;
}

function keyOf({ file, pointer }: Located): string {
  return `${file.address}#${pointer}`;
}

function merge(schema: unknown, beside: Schema): unknown {
  return Object.keys(beside).length === 0 ? schema : { ...(isRecord(schema) ? schema : {}), ...beside };
}

/** What OpenAPI writes differently from JSON Schema. */
function toPlain(schema: Schema, written: Schema): Schema {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = withChoice(schema, written);
  const least = exclusiveMinimum === true ? { exclusiveMinimum: minimum } : { minimum, exclusiveMinimum };
  const most = exclusiveMaximum === true ? { exclusiveMaximum: maximum } : { maximum, exclusiveMaximum };
  const bounds = Object.entries({ ...least, ...most }).filter(([, bound]) => typeof bound === "number");
  const { example } = written;
  const isShown = ["string", "number", "boolean"].includes(typeof example) && rest.examples === undefined;
  const plain = { ...rest, ...Object.fromEntries(bounds), ...(isShown ? { examples: [example] } : {}) };
  return written.nullable === true ? orNull(plain) : plain;
}

/**
 * Variants of one thing share properties, so a value often fits several of them: matching one is enough, and the API
 * knows better. The property that distinguishes them, and its values, are given in words.
 */
function withChoice(schema: Schema, { discriminator }: Schema): Schema {
  const { oneOf, ...rest } = schema;
  if (oneOf === undefined || rest.anyOf !== undefined) return schema;
  const { propertyName, mapping } = isRecord(discriminator) ? discriminator : {};
  const values = isRecord(mapping) ? Object.keys(mapping) : [];
  if (typeof propertyName !== "string" || values.length === 0) return { ...rest, anyOf: oneOf };
  const said = `"${propertyName}" says which one it is: ${values.join(", ")}.`;
  const description = typeof rest.description === "string" ? `${rest.description}\n${said}` : said;
  return { ...rest, description, anyOf: oneOf };
}

function orNull(schema: Schema): Schema {
  const { type, enum: values, ...rest } = schema;
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] };
  const choice = Array.isArray(values) ? { enum: values.includes(null) ? values : [...values, null] } : {};
  return { type: [type, "null"], ...choice, ...rest };
}
