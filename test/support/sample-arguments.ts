import { isRecord } from "../../src/core/shape/is-record.ts";

/** Arguments that fit a tool's schema: every property once, and no definition inside itself. */
export function sampleArguments(schema: unknown): Readonly<Record<string, unknown>> {
  const definitions = isRecord(schema) && isRecord(schema.$defs) ? schema.$defs : {};
  const sampled = sample(schema, definitions, new Set());
  return isRecord(sampled) ? sampled : {};
}

function sample(schema: unknown, definitions: Readonly<Record<string, unknown>>, open: ReadonlySet<string>): unknown {
  if (!isRecord(schema)) return "any";
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.replace("#/$defs/", "");
    return open.has(name) ? undefined : sample(definitions[name], definitions, new Set([...open, name]));
  }
  if (schema.const !== undefined) return schema.const;
  for (const values of [schema.examples, schema.enum]) if (Array.isArray(values)) return values[0];
  if (Array.isArray(schema.allOf)) {
    const parts = schema.allOf.map((part) => sample(part, definitions, open));
    return Object.assign({}, ...parts.filter(isRecord));
  }
  for (const choice of [schema.oneOf, schema.anyOf])
    if (Array.isArray(choice)) return sample(choice[0], definitions, open);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "integer" || type === "number") return Number(schema.minimum ?? schema.exclusiveMinimum ?? 1) + 1;
  if (type === "boolean") return true;
  if (type === "array") return [sample(schema.items, definitions, open)].filter((item) => item !== undefined);
  if (isRecord(schema.properties)) {
    const members = Object.entries(schema.properties).map(([key, inner]) => [key, sample(inner, definitions, open)]);
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
  return type === "object" ? {} : "ab c/ü";
}
