import type { Ajv, CodeKeywordDefinition } from "ajv";
import { toCanonicalJson } from "../../core/tool/canonical-json.ts";

/** More than the largest arguments need with a reference for each value. */
const MOST_REFERENCES = 100_000;
const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];

/** Writes code for Ajv. Passed in, because Ajv is loaded when it is first needed. */
type Write = typeof import("ajv")._;

/** Counts the references that one check follows, and ends it when there are too many. */
export interface Bound {
  restart(): void;
}

/** Thrown out of a check; nothing else throws it. */
export const TOO_MUCH = Symbol("too much");

/**
 * Schemas come from servers, and checking blocks. Without references, a check costs at most the schema times the value;
 * with them it can double at every level, so the references followed are counted. Comparing every item with every other
 * one is replaced by an equally strict linear check.
 */
export function boundChecking(ajv: Ajv, write: Write): Bound {
  let followed = 0;
  const follow = (): void => {
    followed += 1;
    if (followed > MOST_REFERENCES) throw TOO_MUCH;
  };
  for (const name of REFERENCES) {
    const rule = ajv.RULES.all[name];
    if (typeof rule !== "object") continue;
    // These keywords of Ajv are defined by code that writes code.
    const own = rule.definition as CodeKeywordDefinition & typeof rule.definition;
    rule.definition = {
      ...own,
      code(context, ruleType) {
        context.gen.code(write`${context.gen.scopeValue("func", { ref: follow })}()`);
        own.code(context, ruleType);
      },
    };
  }
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must not have the same item twice" },
    validate: (wanted: boolean, items: readonly unknown[]) =>
      !wanted || new Set(items.map((item) => toCanonicalJson(item).text)).size === items.length,
  });
  return {
    restart() {
      followed = 0;
    },
  };
}
