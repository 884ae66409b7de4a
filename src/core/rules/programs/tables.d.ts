/** A table of programs in long words: the build and the tests compile it (`scripts/build/program-tables.mjs`). */
declare module "*.programs" {
  export const table: string;
}
