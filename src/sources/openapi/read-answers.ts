import { foldSchema, MOST_OPEN } from "../../core/schema/fold-schema.ts";
import { mapParts } from "../../core/schema/keywords.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { childOf, type Located, membersOf } from "./api-file.ts";
import { type ApiFiles, followReference } from "./references.ts";
import { writeSchemas } from "./write-schemas.ts";

/** The content of an operation's successful answers: nothing, data of these schemas, or anything. */
export type Answers =
  | { readonly kind: "nothing" }
  | { readonly kind: "data"; readonly schemas: readonly Located[] }
  | { readonly kind: "anything" };

const SUCCESS = /^2(\d\d|XX)$/i;
const EMPTY = /^20[45]$/;
const JSON_TYPE = /^[^;]*\bjson\b/i;

/** Only what all documented successful answers share counts. A mistake in them does not make the operation unusable. */
export function readAnswers(responses: Located, files: ApiFiles): Answers {
  try {
    const good = membersOf(responses).filter(([status]) => SUCCESS.test(status));
    if (good.length > 0 && good.every(([status]) => EMPTY.test(status))) return { kind: "nothing" };
    const contents = good.map(([, response]) => membersOf(childOf(followReference(response, files), "content")));
    const schemas = contents.map((content) => {
      const schema = content.every(([type]) => JSON_TYPE.test(type))
        ? content[0] && childOf(content[0][1], "schema")
        : null;
      return isRecord(schema?.value) ? schema : null;
    });
    const known = schemas.filter((schema) => schema !== null);
    return known.length === 0 || known.length < schemas.length
      ? { kind: "anything" }
      : { kind: "data", schemas: known };
  } catch {
    return { kind: "anything" };
  }
}

/** The same as a schema reduced to types; null if a result is only text. */
export function toOutput(answers: Answers, files: ApiFiles): unknown {
  if (answers.kind !== "data") return answers.kind === "nothing" ? null : {};
  try {
    const { schemas, definitions } = writeSchemas(answers.schemas, files, "writeOnly");
    const all = [...new Map(schemas.map(toTypes).map((schema) => [JSON.stringify(schema), schema])).values()];
    const [first] = all;
    const root = all.length === 1 && isRecord(first) ? first : { anyOf: all };
    const named = Object.entries(definitions).map(([name, schema]) => [name, toTypes(schema)] as const);
    const output = { ...root, ...(named.length === 0 ? {} : { $defs: Object.fromEntries(named) }) };
    if (JSON.stringify(output).length <= MOST_CHARACTERS) return output;
    return typeof root.type === "string" ? { type: root.type } : {};
  } catch {
    return {};
  }
}

/** More does not help anybody who writes code, and every tool carries it. */
const MOST_CHARACTERS = 8_000;
const KEPT = new Set(["type", "enum", "const", "required", "$ref"]);
const TYPED = new Set(["items", "additionalProperties", "anyOf", "oneOf", "allOf", "properties"]);

/** Without descriptions, which are untrusted, and without what types cannot express. */
function toTypes(root: unknown): unknown {
  return foldSchema<unknown>(root, undefined, {
    levels: MOST_OPEN,
    visit: (schema, { inner }) =>
      Object.fromEntries(
        Object.entries(schema).flatMap(([key, value]): (readonly [string, unknown])[] => {
          if (KEPT.has(key)) return [[key, value]];
          return TYPED.has(key) ? [[key, mapParts(key, value, (part) => inner(part))]] : [];
        }),
      ),
    beyond: (part) => (typeof part === "boolean" ? part : {}),
  });
}
