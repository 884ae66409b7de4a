import { type At, foldSchema } from "../schema/fold-schema.ts";
import { isRecord, type JsonObject } from "../shape/json-value.ts";
import { isIdentifier } from "./identifier.ts";

export interface TypeStyle {
  /** Descriptions appear above the fields, one field per line. */
  readonly documented: boolean;
}

const MOST_LEVELS = 6;
const MOST_FIELDS = 60;
const MOST_VALUES = 24;
const MOST_TEXT = 400;

type Node = At<string, TypeStyle>;

/** The TypeScript type of what a JSON Schema accepts; `unknown` where a type cannot express it. */
export function toType(schema: unknown, style: TypeStyle): string {
  return foldSchema(schema, style, { levels: MOST_LEVELS, visit: typeOf, beyond: () => "unknown" });
}

/** A schema that contains itself is written out until the levels end. */
function typeOf(given: JsonObject, at: Node): string {
  const schema = at.references.resolve(given, (target) => target);
  const inner = (part: unknown): string => at.inner(part, at.place);
  if ("const" in schema) return literal(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.slice(0, MOST_VALUES).map(literal));
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return union(choices.slice(0, MOST_VALUES).map(inner));
  if (Array.isArray(schema.allOf) && !isRecord(schema.properties))
    return schema.allOf.map((one) => bracket(inner(one))).join(" & ") || "unknown";
  const { type } = schema;
  if (Array.isArray(type)) return union(type.map((one) => inner({ ...schema, type: one })));
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return `${bracket(inner(schema.items))}[]`;
    default:
      return type === "object" || isRecord(schema.properties) ? objectType(schema, inner, at.place) : "unknown";
  }
}

function objectType(schema: JsonObject, inner: (part: unknown) => string, { documented }: TypeStyle): string {
  const { properties, required, additionalProperties } = schema;
  const fields = isRecord(properties) ? Object.entries(properties) : [];
  if (fields.length === 0) {
    if (additionalProperties === false) return "{}";
    return `Record<string, ${isRecord(additionalProperties) ? inner(additionalProperties) : "unknown"}>`;
  }
  const needed = new Set(Array.isArray(required) ? required : []);
  const lines = fields.slice(0, MOST_FIELDS).map(([name, field]) => {
    const key = isIdentifier(name) ? name : JSON.stringify(name);
    const text = `${key}${needed.has(name) ? "" : "?"}: ${inner(field)}`;
    const about = documented && isRecord(field) ? field.description : null;
    return typeof about === "string" && about !== "" ? `/** ${toComment(about, MOST_TEXT)} */\n${text}` : text;
  });
  if (fields.length > MOST_FIELDS) lines.push("[more: string]: unknown");
  if (!documented) return `{ ${lines.join("; ")} }`;
  return `{\n${lines.map((line) => indent(`${line};`)).join("\n")}\n}`;
}

function indent(text: string): string {
  return text.replace(/^/gm, "  ");
}

function literal(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, MOST_TEXT));
  return value === null || typeof value === "number" || typeof value === "boolean" ? String(value) : "unknown";
}

function union(types: readonly string[]): string {
  const all = [...new Set(types)];
  return all.length === 0 || all.includes("unknown") ? "unknown" : all.join(" | ");
}

function bracket(type: string): string {
  return / [|&] /.test(type) && !type.startsWith("{") ? `(${type})` : type;
}

/** Text that cannot end the comment it is put in. */
export function toComment(text: string, most: number): string {
  const flat = text.replace(/\s+/g, " ").trim().replaceAll("*/", "* /");
  return flat.length > most ? `${flat.slice(0, most)}…` : flat;
}
