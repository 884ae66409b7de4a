import { transform } from "sucrase";

/** The code without its types, line by line where it was. Throws what is wrong with it. */
export function stripTypes(code: string): string {
  return transform(code, { transforms: ["typescript"], disableESTransforms: true, keepUnusedImports: true }).code;
}
