import { isRecord } from "../shape/is-record.ts";
import { isIdentifier } from "./identifier.ts";

export interface TypeStyle {
  /** Descriptions appear above the fields, one field per line. */
  readonly documented: boolean;
}

const MOST_LEVELS = 6;
const MOST_FIELDS = 60;
const MOST_VALUES = 24;
const MOST_TEXT = 400;

interface Place {
  readonly root: unknown;
  readonly style: TypeStyle;
  readonly level: number;
}

/** The TypeScript type of what a JSON Schema accepts; `unknown` where a type cannot express it. */
export function toType(schema: unknown, style: TypeStyle): string {
  return typeOf(schema, { root: schema, style, level: 0 });
}

function typeOf(given: unknown, place: Place): string {
  const schema = resolve(given, place.root);
  if (!isRecord(schema) || place.level > MOST_LEVELS) return "unknown";
  if ("const" in schema) return literal(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.slice(0, MOST_VALUES).map(literal));
  const choices = schema.anyOf ?? schema.oneOf;
  const inner = { ...place, level: place.level + 1 };
  if (Array.isArray(choices)) return union(choices.slice(0, MOST_VALUES).map((one) => typeOf(one, inner)));
  if (Array.isArray(schema.allOf) && !isRecord(schema.properties))
    return schema.allOf.map((one) => bracket(typeOf(one, inner))).join(" & ") || "unknown";
  const { type } = schema;
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, inner)));
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return type;
    case "number":
    case "integer":
      return "number";
    case "array":
      return `${bracket(typeOf(schema.items, inner))}[]`;
    default:
      return type === "object" || isRecord(schema.properties) ? objectType(schema, inner) : "unknown";
  }
}

function objectType(schema: Record<string, unknown>, place: Place): string {
  const { properties, required, additionalProperties } = schema;
  const fields = isRecord(properties) ? Object.entries(properties) : [];
  if (fields.length === 0) {
    if (additionalProperties === false) return "{}";
    return `Record<string, ${isRecord(additionalProperties) ? typeOf(additionalProperties, place) : "unknown"}>`;
  }
  const needed = new Set(Array.isArray(required) ? required : []);
  const lines = fields.slice(0, MOST_FIELDS).map(([name, field]) => {
    const key = isIdentifier(name) ? name : JSON.stringify(name);
    const text = `${key}${needed.has(name) ? "" : "?"}: ${typeOf(field, place)}`;
    const about = place.style.documented && isRecord(field) ? field.description : null;
    return typeof about === "string" && about !== "" ? `/** ${toComment(about, MOST_TEXT)} */\n${text}` : text;
  });
  if (fields.length > MOST_FIELDS) lines.push("[more: string]: unknown");
  if (!place.style.documented) return `{ ${lines.join("; ")} }`;
  return `{\n${lines.map((line) => indent(`${line};`)).join("\n")}\n}`;
}

function indent(text: string): string {
  return text.replace(/^/gm, "  ");
}

/** Resolves references within the schema; any other reference stays as it is and constrains nothing. */
function resolve(schema: unknown, root: unknown): unknown {
  let found = schema;
  for (let steps = 0; steps < MOST_LEVELS && isRecord(found) && typeof found.$ref === "string"; steps++) {
    const { $ref } = found;
    if (!$ref.startsWith("#/")) return null;
    found = $ref
      .slice(2)
      .split("/")
      .reduce<unknown>((at, part) => {
        const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
        return isRecord(at) && Object.hasOwn(at, key) ? at[key] : null;
      }, root);
  }
  return found;
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
