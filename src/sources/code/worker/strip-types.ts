import { transform } from "sucrase";

/** How a list of types ends that a function is called with. Other things may look like it, strings and comments too. */
const ENDS_TYPES = /[^=]>\s*(?:[(`]|\n)/;

/**
 * Whether code that JavaScript can read means the same in TypeScript, which reads `parse<Row>(text)` as a call, where
 * JavaScript reads two comparisons.
 */
export function isPlain(code: string): boolean {
  const types = code.indexOf("<");
  return types < 0 || !ENDS_TYPES.test(code.slice(types));
}

/** The code without its types, line by line where it was. Throws what is wrong with it. */
export function stripTypes(code: string): string {
  return transform(code, { transforms: ["typescript"], disableESTransforms: true, keepUnusedImports: true }).code;
}
