import { foldSchema, MOST_OPEN } from "../../schema/fold-schema.ts";
import { isRecord, type JsonObject, listOf } from "../../shape/json-value.ts";
import { KEYWORDS_OF_TYPE, type SchemaRules } from "../limits/schema-rules.ts";
import type { Restore } from "./restore.ts";

const NULL = { type: "null" } as const;

/** A list of types as alternatives, each with the keywords that belong to it. */
export function splitTypes(node: JsonObject): JsonObject {
  const { type: types, ...rest } = node;
  if (rest.anyOf !== undefined || rest.oneOf !== undefined) return rest;
  const ofTypes = new Set([...KEYWORDS_OF_TYPE.values()].flat());
  const common = Object.fromEntries(
    Object.entries(rest).filter(([key]) => !ofTypes.has(key) && key !== "enum" && key !== "default"),
  );
  const alternatives = listOf(types).flatMap((type): readonly JsonObject[] => {
    const own = new Set(KEYWORDS_OF_TYPE.get(String(type)));
    const mine = Object.fromEntries(Object.entries(rest).filter(([key]) => own.has(key)));
    if (rest.enum === undefined || type === "null") return [{ ...mine, type }];
    const values = listOf(rest.enum).filter((value) => isOfType(value, String(type)));
    return values.length === 0 ? [] : [{ ...mine, type, enum: values }];
  });
  const [only] = alternatives;
  if (alternatives.length === 1 && only !== undefined) return { ...common, ...only };
  return alternatives.length === 0 ? common : { ...common, anyOf: alternatives };
}

/** Fills in the values of an enum, as text if only text may be sent. */
export function shapeEnum(given: unknown, schema: JsonObject, restore: Restore, rules: SchemaRules): void {
  const values = listOf(given);
  if (rules.enums === "any") {
    schema.enum = [...values];
    return;
  }
  // Providers refuse an empty text in a list of values, and null has a type of its own.
  const said = values.filter((value) => value !== null && value !== "");
  if (said.length === 0) {
    if (values.includes(null)) schema.type = "null";
    return;
  }
  if (typeof schema.type === "string" && (schema.type === "object" || schema.type === "array")) return;
  const texts = said.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  for (const [at, value] of said.entries()) if (typeof value !== "string") restore.values.set(texts[at] ?? "", value);
  const choice = { type: "string", enum: [...new Set(texts)] };
  delete schema.anyOf;
  if (values.includes(null)) {
    delete schema.type;
    schema.anyOf = [choice, NULL];
  } else Object.assign(schema, choice);
}

/** `anyOf` with nothing beside it: its siblings go into each alternative. */
export function standAlone(schema: JsonObject): JsonObject {
  const { anyOf, ...beside } = schema;
  const alternatives = listOf(anyOf).flatMap((part) => {
    if (!isRecord(part)) return [];
    return part.anyOf === undefined ? [part] : listOf(part.anyOf).filter(isRecord);
  });
  const distinct = [...new Map(alternatives.map((part) => [JSON.stringify(part), part])).values()];
  const { description, title, type: _type, ...rest } = beside;
  const texts = { ...(description === undefined ? {} : { description }), ...(title === undefined ? {} : { title }) };
  const merged = distinct.map((part) =>
    part.type === "null" ? part : { ...rest, ...texts, ...part, ...joined(description, part.description) },
  );
  const [only] = merged;
  return merged.length === 1 && only !== undefined ? only : { anyOf: merged };
}

/** The schema or null; null if it could be null already. */
export function withNull(schema: JsonObject): JsonObject | null {
  if (allowsNull(schema)) return null;
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, NULL] };
  const { description, ...rest } = schema;
  return { anyOf: [rest, NULL], ...(description === undefined ? {} : { description }) };
}

function allowsNull(root: JsonObject): boolean {
  return foldSchema<boolean>(root, undefined, {
    levels: MOST_OPEN,
    visit({ type, enum: values, anyOf }, { inner }) {
      if (type === "null" || (Array.isArray(type) && type.includes("null"))) return true;
      if (type === undefined && Array.isArray(values) && values.includes(null)) return true;
      return listOf(anyOf).some((part) => inner(part));
    },
    beyond: () => false,
  });
}

function joined(outer: unknown, inner: unknown): JsonObject {
  if (typeof outer !== "string" || typeof inner !== "string" || outer === inner) return {};
  return { description: `${outer} ${inner}` };
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    default:
      return typeof value === type;
  }
}
