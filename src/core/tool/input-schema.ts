import { isStandardSchema, toJsonSchema } from "./standard-schema.ts";

export type InputSchema =
  | { readonly ok: true; readonly schema: unknown }
  | { readonly ok: false; readonly advice: string };

const ADVICE = 'its parameters must be a z.object() or a JSON Schema with type: "object"';

/** The JSON Schema of `parameters`: a copy, so that a definition cannot change after it was signed. */
export function toInputSchema(parameters: unknown): InputSchema {
  if (parameters === undefined || parameters === null) return { ok: true, schema: null };
  if (!isSchemaLike(parameters)) return { ok: false, advice: ADVICE };
  try {
    const stated = isStandardSchema(parameters) ? toJsonSchema(parameters) : said(parameters);
    if (stated === undefined) return { ok: false, advice: NO_CONVERTER };
    const schema: unknown = JSON.parse(JSON.stringify(stated));
    if (!isObjectSchema(schema)) return { ok: false, advice: isBareShape(parameters) ? BARE_SHAPE : ADVICE };
    Reflect.deleteProperty(schema, "$schema");
    return { ok: true, schema };
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return { ok: false, advice: `its parameters cannot be turned into JSON Schema: ${cause}` };
  }
}

const BARE_SHAPE = "its parameters are a bare shape; wrap them in z.object()";
const NO_CONVERTER =
  "its parameters cannot say what they are in JSON Schema; pass z.toJSONSchema(schema), or update Zod to 4.2 or newer";

/** Schemas of other libraries convert themselves by a method; a JSON Schema is used as it is. */
function said(parameters: object): unknown {
  const convert: unknown = Reflect.get(parameters, "toJSONSchema");
  return typeof convert === "function" ? convert.call(parameters, { io: "input" }) : parameters;
}

/** Some libraries make schemas that are functions. */
function isSchemaLike(value: unknown): value is object {
  if (typeof value === "function") return isStandardSchema(value);
  return typeof value === "object" && value !== null;
}

function isObjectSchema(value: unknown): value is object {
  return typeof value === "object" && value !== null && Reflect.get(value, "type") === "object";
}

function isBareShape(parameters: object): boolean {
  if (isStandardSchema(parameters)) return false;
  return Object.values(parameters).some((part) => isSchemaLike(part) && isStandardSchema(part));
}
