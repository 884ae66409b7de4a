import { flattenAlternatives, mergeSchemas } from "../../schema/flatten-alternatives.ts";
import { type At, foldSchema } from "../../schema/fold-schema.ts";
import { mapParts } from "../../schema/keywords.ts";
import { toNormalSchema } from "../../schema/normal-schema.ts";
import type { References } from "../../schema/references.ts";
import { toDefinitionName } from "../../schema/resolve-pointer.ts";
import { isRecord, type JsonObject, listOf, objectOf, put, textOrNull } from "../../shape/json-value.ts";
import { COMMON_FORMATS, DESCRIBED_KEYWORDS, type SchemaRules } from "../limits/schema-rules.ts";
import { nameFor } from "./names.ts";
import { createRestore, mergeRestore, type Restore } from "./restore.ts";
import { shapeEnum, splitTypes, standAlone, withNull } from "./shape-choice.ts";

/** State of shaping one tool's schema. */
export interface Shaping {
  readonly rules: SchemaRules;
  readonly defs: Map<string, { schema: JsonObject | null; readonly restore: Restore }>;
  fits: boolean;
  /** What strict mode counts. */
  optional: number;
  unions: number;
}

interface ShapedNode {
  readonly schema: JsonObject;
  readonly restore: Restore;
  /** What a flattened root meant. */
  readonly note: string | null;
}

type Node = At<ShapedNode, Shaping>;

const MOST_LEVELS = 48;
const MAX_PROPERTY = 64;
const CHOICES: readonly string[] = ["anyOf", "oneOf", "allOf"];
const BUILT_APART: ReadonlySet<string> = new Set(["properties", "required", "enum", "description", "$defs", "type"]);

export function shapeRoot(written: JsonObject, shaping: Shaping): ShapedNode {
  return foldSchema(written, shaping, { levels: MOST_LEVELS, visit: shapeNode, beyond: anything });
}

function shapeNode(written: JsonObject, at: Node): ShapedNode {
  const { rules } = at.place;
  const own = toNormalSchema(written);
  if (typeof own.$ref === "string") return shapeReference(own, own.$ref, at);
  const { node, note, joined } = withoutCombinators(own, at);
  const choice = rules.keywords !== null && Array.isArray(node.type) ? splitTypes(node) : node;
  const built = at.references.within(joined, () => build(choice, at.level === 0 ? null : note, at));
  return { ...built, note };
}

/** Rewrites what the rules do not allow. */
function withoutCombinators(
  own: JsonObject,
  { place: shaping, level, references }: Node,
): {
  readonly node: JsonObject;
  readonly note: string | null;
  /** The references whose targets are part of the node now. */
  readonly joined: readonly string[];
} {
  const { rules } = shaping;
  const resolve = (part: unknown): JsonObject => resolvePart(part, references);
  const joined: string[] = [];
  let node = own;
  let note: string | null = null;
  if (!allows(rules, "allOf")) {
    const { allOf, ...rest } = node;
    node = rest;
    for (const part of listOf(allOf)) {
      const { $ref: pointer, ...beside } = objectOf(part);
      if (typeof pointer === "string" && references.isClosed(pointer)) {
        shaping.fits = false;
        node = { ...beside, ...node, ...theSameAgain({ ...beside, ...node }, references.target(pointer)) };
        continue;
      }
      if (typeof pointer === "string") joined.push(pointer);
      node = mergeSchemas(node, resolve(part));
    }
  }
  const isChoice = node.anyOf !== undefined || node.oneOf !== undefined;
  if (level === 0 ? !rules.rootCombinators : rules.loneAnyOf && isChoice && isRecord(node.properties))
    ({ schema: node, note } = flattenAlternatives(node, resolve));
  if (!allows(rules, "oneOf") && node.oneOf !== undefined) {
    const { oneOf, ...rest } = node;
    node = { ...rest, anyOf: [...listOf(rest.anyOf), ...listOf(oneOf)] };
  }
  if (!allows(rules, "const") && node.const !== undefined) {
    const { const: only, ...rest } = node;
    node = { ...rest, enum: [only] };
  }
  return { node, note, joined };
}

function build(node: JsonObject, note: string | null, at: Node): Omit<ShapedNode, "note"> {
  const { place: shaping } = at;
  const { rules } = shaping;
  const schema: JsonObject = {};
  const restore = createRestore();
  const told: string[] = [];
  if (node.type !== undefined) schema.type = node.type;
  for (const [key, value] of Object.entries(node)) {
    if (BUILT_APART.has(key)) continue;
    const sendable = allows(rules, key) && !(key === "format" && !isCommonFormat(rules, value));
    if (sendable) put(schema, key, shapeKeyword(key, value, restore, at));
    else if (key === "prefixItems" && schema.items === undefined && node.items === undefined)
      schema.items = shapeInner({ anyOf: value }, at, (inner) => setItems(restore, inner));
    else if (DESCRIBED_KEYWORDS.has(key)) told.push(`${key}: ${JSON.stringify(value)}`);
  }
  if (node.enum !== undefined) shapeEnum(node.enum, schema, restore, rules);
  shapeProperties(node, schema, restore, at);
  addMissing(node, schema, at);
  const description = [textOrNull(node.description), note, told.length === 0 ? null : `(${told.join(", ")})`]
    .filter((text) => text !== null && text !== "")
    .join(" ");
  if (description !== "") schema.description = description;
  if (schema.anyOf !== undefined) shaping.unions += 1;
  return { schema: rules.loneAnyOf && schema.anyOf !== undefined ? standAlone(schema) : schema, restore };
}

function shapeKeyword(key: string, value: unknown, restore: Restore, at: Node): unknown {
  if (typeof value === "boolean" && key !== "items") return value;
  return mapParts(key, value, (part) =>
    shapeInner(part, at, (inner) => {
      if (key === "items" || key === "prefixItems") setItems(restore, inner);
      else if (CHOICES.includes(key)) mergeRestore(restore, inner);
    }),
  );
}

function shapeInner(value: unknown, at: Node, onRestore: (restore: Restore) => void): JsonObject {
  const { schema, restore } = at.inner(value, at.place);
  onRestore(restore);
  return schema;
}

function setItems(restore: Restore, inner: Restore): void {
  if (restore.items === null) restore.items = inner;
  else mergeRestore(restore.items, inner);
}

function shapeProperties(node: JsonObject, schema: JsonObject, restore: Restore, at: Node): void {
  const { place: shaping } = at;
  const { rules } = shaping;
  const required = new Set(listOf(node.required));
  if (!isRecord(node.properties)) {
    if (rules.keywords === null && required.size > 0) schema.required = [...required];
    return;
  }
  const names = new Set<unknown>(Object.keys(node.properties));
  const taken = new Set(Object.keys(node.properties));
  const { propertyNames: pattern } = rules;
  const properties: JsonObject = {};
  const needed: string[] = [];
  for (const [name, part] of Object.entries(node.properties)) {
    const key = pattern === null ? name : nameFor(name, { pattern, maxLength: MAX_PROPERTY }, taken);
    const { schema: shaped, restore: inner } = at.inner(part, shaping);
    const isOptional = !required.has(name);
    if (isOptional) shaping.optional += 1;
    const nullable = rules.allRequired && isOptional ? withNull(shaped) : null;
    const sent = nullable ?? shaped;
    put(properties, key, key === name ? sent : withName(name, sent, rules));
    restore.properties.set(key, { name, nullIsAbsent: nullable !== null, inner });
    if (!isOptional || rules.allRequired) needed.push(key);
  }
  const unknown = rules.keywords === null ? [...required].filter((name) => !names.has(name)) : [];
  schema.properties = properties;
  if (needed.length + unknown.length > 0) schema.required = [...needed, ...unknown];
}

/** Adds what the rules require of every schema, even if its author left it out. */
function addMissing(node: JsonObject, schema: JsonObject, { place: shaping, level }: Node): void {
  const { rules } = shaping;
  const isChoice = CHOICES.some((key) => schema[key] !== undefined);
  if (rules.typed && schema.type === undefined && !isChoice) schema.type = guessType(schema);
  if (rules.arraysNeedItems && listOf([schema.type].flat()).includes("array") && schema.items === undefined)
    schema.items = rules.typed ? { type: "string" } : {};
  if (!rules.closed) return;
  const isOpen =
    node.additionalProperties === true || isRecord(node.additionalProperties) || node.patternProperties !== undefined;
  const isBag = level > 0 && schema.type === "object" && schema.properties === undefined;
  const isUntyped = schema.type === undefined && schema.enum === undefined && schema.const === undefined && !isChoice;
  const isVague = isRecord(schema.items) && Object.keys(schema.items).length === 0;
  if (isOpen || (isBag && node.additionalProperties !== false) || isUntyped || isVague) shaping.fits = false;
  if (schema.type === "object") schema.additionalProperties = false;
}

function guessType(schema: JsonObject): string {
  if (schema.properties !== undefined) return "object";
  return schema.items === undefined ? "string" : "array";
}

function shapeReference(
  own: JsonObject,
  pointer: string,
  { place: shaping, level, references, instead }: Node,
): ShapedNode {
  const { rules, defs } = shaping;
  const { $ref: _ref, ...beside } = own;
  const target = references.target(pointer);
  const name = toDefinitionName(pointer);
  if (rules.refs === "defs" && name !== null && level > 0 && target !== undefined) {
    let definition = defs.get(name);
    if (definition === undefined) {
      definition = { schema: null, restore: createRestore() };
      defs.set(name, definition);
      const shaped = instead(target, shaping, 1);
      definition.schema = shaped.schema;
      mergeRestore(definition.restore, shaped.restore);
    }
    const description = rules.closed ? null : textOrNull(own.description);
    const schema = { $ref: `#/$defs/${encodeURIComponent(name)}`, ...(description === null ? {} : { description }) };
    return { schema, restore: definition.restore, note: null };
  }
  if (references.isClosed(pointer)) {
    shaping.fits = false;
    return { schema: theSameAgain(own, target), restore: createRestore(), note: null };
  }
  return references.within([pointer], () => instead({ ...objectOf(target), ...beside }, shaping));
}

/** What stands for a schema inside itself where it cannot be referred to. */
function theSameAgain(own: JsonObject, target: unknown): JsonObject {
  const said = textOrNull(own.description) ?? textOrNull(objectOf(target).description);
  return { type: typeOf(target), description: [said, "(the same again)"].filter((text) => text !== null).join(" ") };
}

function typeOf(target: unknown): string {
  const { type, properties } = objectOf(target);
  return typeof type === "string" && type !== "array" ? type : properties === undefined ? "string" : "object";
}

function resolvePart(part: unknown, references: References): JsonObject {
  return references.resolve(toNormalSchema(objectOf(part)), (target, beside) => ({
    ...toNormalSchema(target),
    ...beside,
  }));
}

function anything(written: unknown, shaping: Shaping): ShapedNode {
  shaping.fits = false;
  const schema: JsonObject = shaping.rules.typed ? { type: "string" } : {};
  if (written === false && shaping.rules.keywords === null) schema.not = {};
  return { schema, restore: createRestore(), note: null };
}

function allows({ keywords }: SchemaRules, key: string): boolean {
  return keywords === null || keywords.has(key);
}

function isCommonFormat({ keywords }: SchemaRules, format: unknown): boolean {
  return keywords === null || (typeof format === "string" && COMMON_FORMATS.has(format));
}

/** The description of a renamed property states its original name. */
function withName(name: string, schema: JsonObject, { loneAnyOf }: SchemaRules): JsonObject {
  const description = [`(named ${JSON.stringify(name)})`, textOrNull(schema.description)].filter(
    (text) => text !== null,
  );
  const described: JsonObject = { ...schema, description: description.join(" ") };
  return loneAnyOf && described.anyOf !== undefined ? standAlone(described) : described;
}
