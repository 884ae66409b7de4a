import { patches } from "../../../sources/builtin/definitions/touches.ts";
import { type Json, textOf } from "../wire/wire-values.ts";

/** The files that a call reads or changes, by its arguments. */
export function changedFiles(args: Json): readonly string[] {
  const path = textOf(args.path);
  if (path !== undefined) return [path];
  const touched = patches(args);
  return touched.kind === "write" ? touched.paths : [];
}
