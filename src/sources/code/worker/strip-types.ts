import { transform } from "sucrase";

/** The end of a list of type arguments of a call. Other code may look like it, strings and comments too. */
const ENDS_TYPES = /[^=]>\s*(?:[(`]|\n)/;

/**
 * Whether code that JavaScript can parse means the same in TypeScript, which reads `parse<Row>(text)` as a call, where
 * JavaScript reads two comparisons.
 */
export function isPlain(code: string): boolean {
  const types = code.indexOf("<");
  return types < 0 || !ENDS_TYPES.test(code.slice(types));
}

/** The code without its types, with its lines unchanged. Throws what is wrong with it. */
export function stripTypes(code: string): string {
  return transform(code, { transforms: ["typescript"], disableESTransforms: true, keepUnusedImports: true }).code;
}
