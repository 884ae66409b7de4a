import { flattenAlternatives, mergeSchemas } from "../../schema/flatten-alternatives.ts";
import { nestedIn } from "../../schema/keywords.ts";
import { toNormalSchema } from "../../schema/normal-schema.ts";
import { resolvePointer, toDefinitionName } from "../../schema/resolve-pointer.ts";
import { isRecord, type JsonObject, listOf, objectOf, put, textOrNull } from "../../shape/json-value.ts";
import { COMMON_FORMATS, DESCRIBED_KEYWORDS, type SchemaRules } from "../limits/schema-rules.ts";
import { nameFor } from "./names.ts";
import { createRestore, mergeRestore, type Restore } from "./restore.ts";
import { shapeEnum, splitTypes, standAlone, withNull } from "./shape-choice.ts";

/** State of shaping one tool's schema. */
export interface Shaping {
  readonly rules: SchemaRules;
  readonly root: JsonObject;
  readonly defs: Map<string, { schema: JsonObject | null; readonly restore: Restore }>;
  /** The references being inlined, outermost first. */
  readonly inlining: string[];
  nodes: number;
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

const MOST_LEVELS = 48;
/** Definitions that are used everywhere grow when they are inlined; beyond this, deeper ones are cut short. */
const MOST_NODES = 4_000;
const MAX_PROPERTY = 64;
const BUILT_APART: ReadonlySet<string> = new Set(["properties", "required", "enum", "description", "$defs", "type"]);

export function shapeNode(written: unknown, shaping: Shaping, depth: number): ShapedNode {
  const { rules } = shaping;
  shaping.nodes += 1;
  if (!isRecord(written) || depth > MOST_LEVELS) return anything(shaping, written === false);
  const own = toNormalSchema(written);
  if (typeof own.$ref === "string") return shapeReference(own, own.$ref, shaping, depth);
  const { node, note } = withoutCombinators(own, shaping, depth);
  const choice = rules.keywords !== null && Array.isArray(node.type) ? splitTypes(node) : node;
  const built = build(choice, depth === 0 ? null : note, shaping, depth);
  return { ...built, note };
}

/** Rewrites what the rules do not allow. */
function withoutCombinators(
  own: JsonObject,
  shaping: Shaping,
  depth: number,
): { readonly node: JsonObject; readonly note: string | null } {
  const { rules } = shaping;
  const resolve = (part: unknown): JsonObject => resolvePart(part, shaping);
  let node = own;
  let note: string | null = null;
  if (!allows(rules, "allOf")) {
    const { allOf, ...rest } = node;
    node = listOf(allOf).reduce<JsonObject>((merged, part) => mergeSchemas(merged, resolve(part)), rest);
  }
  const isChoice = node.anyOf !== undefined || node.oneOf !== undefined;
  if (depth === 0 ? !rules.rootCombinators : rules.loneAnyOf && isChoice && isRecord(node.properties))
    ({ schema: node, note } = flattenAlternatives(node, resolve));
  if (!allows(rules, "oneOf") && node.oneOf !== undefined) {
    const { oneOf, ...rest } = node;
    node = { ...rest, anyOf: [...listOf(rest.anyOf), ...listOf(oneOf)] };
  }
  if (!allows(rules, "const") && node.const !== undefined) {
    const { const: only, ...rest } = node;
    node = { ...rest, enum: [only] };
  }
  return { node, note };
}

function build(node: JsonObject, note: string | null, shaping: Shaping, depth: number): Omit<ShapedNode, "note"> {
  const { rules } = shaping;
  const schema: JsonObject = {};
  const restore = createRestore();
  const told: string[] = [];
  if (node.type !== undefined) schema.type = node.type;
  for (const [key, value] of Object.entries(node)) {
    if (BUILT_APART.has(key)) continue;
    const sendable = allows(rules, key) && !(key === "format" && !isCommonFormat(rules, value));
    if (sendable) put(schema, key, shapeKeyword(key, value, restore, shaping, depth));
    else if (key === "prefixItems" && schema.items === undefined && node.items === undefined)
      schema.items = shapeInner({ anyOf: value }, shaping, depth, (inner) => setItems(restore, inner));
    else if (DESCRIBED_KEYWORDS.has(key)) told.push(`${key}: ${JSON.stringify(value)}`);
  }
  if (node.enum !== undefined) shapeEnum(node.enum, schema, restore, rules);
  shapeProperties(node, schema, restore, shaping, depth);
  addMissing(node, schema, shaping, depth);
  const description = [textOrNull(node.description), note, told.length === 0 ? null : `(${told.join(", ")})`]
    .filter((text) => text !== null && text !== "")
    .join(" ");
  if (description !== "") schema.description = description;
  if (schema.anyOf !== undefined) shaping.unions += 1;
  return { schema: rules.loneAnyOf && schema.anyOf !== undefined ? standAlone(schema) : schema, restore };
}

function shapeKeyword(key: string, value: unknown, restore: Restore, shaping: Shaping, depth: number): unknown {
  const nested = nestedIn(key);
  if (nested === "schema") {
    if (typeof value === "boolean" && key !== "items") return value;
    return shapeInner(value, shaping, depth, (inner) => {
      if (key === "items") setItems(restore, inner);
    });
  }
  if (nested === "schemas")
    return listOf(value).map((part) =>
      shapeInner(part, shaping, depth, (inner) => {
        if (key === "prefixItems") setItems(restore, inner);
        else mergeRestore(restore, inner);
      }),
    );
  if (nested !== "named") return value;
  const shaped: JsonObject = {};
  for (const [name, part] of Object.entries(objectOf(value))) put(shaped, name, shapeInner(part, shaping, depth));
  return shaped;
}

function shapeInner(
  value: unknown,
  shaping: Shaping,
  depth: number,
  onRestore: (restore: Restore) => void = () => {},
): JsonObject {
  const { schema, restore } = shapeNode(value, shaping, depth + 1);
  onRestore(restore);
  return schema;
}

function setItems(restore: Restore, inner: Restore): void {
  if (restore.items === null) restore.items = inner;
  else mergeRestore(restore.items, inner);
}

function shapeProperties(
  node: JsonObject,
  schema: JsonObject,
  restore: Restore,
  shaping: Shaping,
  depth: number,
): void {
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
    const { schema: shaped, restore: inner } = shapeNode(part, shaping, depth + 1);
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
function addMissing(node: JsonObject, schema: JsonObject, shaping: Shaping, depth: number): void {
  const { rules } = shaping;
  const isChoice = ["anyOf", "oneOf", "allOf"].some((key) => schema[key] !== undefined);
  if (rules.typed && schema.type === undefined && !isChoice) schema.type = guessType(schema);
  if (rules.arraysNeedItems && listOf([schema.type].flat()).includes("array") && schema.items === undefined)
    schema.items = rules.typed ? { type: "string" } : {};
  if (!rules.closed) return;
  const isOpen =
    node.additionalProperties === true || isRecord(node.additionalProperties) || node.patternProperties !== undefined;
  const isBag = depth > 0 && schema.type === "object" && schema.properties === undefined;
  const isUntyped = schema.type === undefined && schema.enum === undefined && schema.const === undefined && !isChoice;
  const isVague = isRecord(schema.items) && Object.keys(schema.items).length === 0;
  if (isOpen || (isBag && node.additionalProperties !== false) || isUntyped || isVague) shaping.fits = false;
  if (schema.type === "object") schema.additionalProperties = false;
}

function guessType(schema: JsonObject): string {
  if (schema.properties !== undefined) return "object";
  return schema.items === undefined ? "string" : "array";
}

function shapeReference(own: JsonObject, pointer: string, shaping: Shaping, depth: number): ShapedNode {
  const { rules, root, defs, inlining } = shaping;
  const { $ref: _ref, ...beside } = own;
  const target = resolvePointer(root, pointer);
  const name = toDefinitionName(pointer);
  if (rules.refs === "defs" && name !== null && depth > 0 && target !== undefined) {
    let definition = defs.get(name);
    if (definition === undefined) {
      definition = { schema: null, restore: createRestore() };
      defs.set(name, definition);
      const shaped = shapeNode(target, shaping, 1);
      definition.schema = shaped.schema;
      mergeRestore(definition.restore, shaped.restore);
    }
    const description = rules.closed ? null : textOrNull(own.description);
    const schema = { $ref: `#/$defs/${encodeURIComponent(name)}`, ...(description === null ? {} : { description }) };
    return { schema, restore: definition.restore, note: null };
  }
  if (inlining.includes(pointer) || shaping.nodes > MOST_NODES) {
    shaping.fits = false;
    const said = textOrNull(own.description) ?? textOrNull(objectOf(target).description);
    const description = [said, "(the same again)"].filter((text) => text !== null).join(" ");
    return { schema: { type: typeOf(target), description }, restore: createRestore(), note: null };
  }
  inlining.push(pointer);
  const shaped = shapeNode({ ...objectOf(target), ...beside }, shaping, depth);
  inlining.pop();
  return shaped;
}

function typeOf(target: unknown): string {
  const { type, properties } = objectOf(target);
  return typeof type === "string" && type !== "array" ? type : properties === undefined ? "string" : "object";
}

function resolvePart(part: unknown, { root }: Shaping): JsonObject {
  let found = toNormalSchema(objectOf(part));
  for (let hops = 0; typeof found.$ref === "string" && hops < 8; hops += 1) {
    const { $ref, ...beside } = found;
    found = { ...toNormalSchema(objectOf(resolvePointer(root, String($ref)))), ...beside };
  }
  const { $ref: _ref, ...rest } = found;
  return rest;
}

function anything(shaping: Shaping, isNothing: boolean): ShapedNode {
  shaping.fits = false;
  const schema: JsonObject = shaping.rules.typed ? { type: "string" } : {};
  if (isNothing && shaping.rules.keywords === null) schema.not = {};
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
