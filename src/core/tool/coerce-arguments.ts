import { isRecord } from "../shape/is-record.ts";

/** The part of a Zod schema that describes its structure. */
interface ZodPart {
  readonly _zod: { readonly def: Readonly<Record<string, unknown>> };
}

export function isZodPart(value: unknown): value is ZodPart {
  if (typeof value !== "object" || value === null) return false;
  const inner: unknown = Reflect.get(value, "_zod");
  return typeof inner === "object" && inner !== null && isRecord(Reflect.get(inner, "def"));
}

/**
 * Arguments with the conversions their author asked for (`z.coerce`), as far as nothing is lost or guessed. The
 * schema's own conversion would come after hooks and rules have judged another value. Zod's truthiness and
 * stringification are not what a model means: `"false"` stays false, and lists and objects stay unchanged.
 */
export function coerceArguments(value: unknown, schema: unknown): unknown {
  if (!isZodPart(schema)) return value;
  const { def } = schema._zod;
  switch (def.type) {
    case "number":
    case "boolean":
    case "string":
      return def.coerce === true ? convert(value, def.type) : value;
    case "object":
      return mapMembers(value, (key) => (isRecord(def.shape) && Object.hasOwn(def.shape, key) ? def.shape[key] : null));
    case "record":
      return mapMembers(value, () => def.valueType);
    case "array":
      return Array.isArray(value) ? value.map((item) => coerceArguments(item, def.element)) : value;
    case "pipe":
      return coerceArguments(value, def.in);
    default:
      // A wrapper of another schema: optional, nullable, default, readonly.
      return coerceArguments(value, def.innerType);
  }
}

function mapMembers(value: unknown, schemaOf: (key: string) => unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, coerceArguments(member, schemaOf(key))]),
  );
}

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

function convert(value: unknown, to: "number" | "boolean" | "string"): unknown {
  if (to === "string") return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  if (typeof value !== "string") return value;
  const text = value.trim();
  if (to === "boolean") return text === "true" ? true : text === "false" ? false : value;
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  return isExact ? number : value;
}
