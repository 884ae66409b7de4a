import { nearestNames } from "../../core/codes/nearest-name.ts";
import type { Shape } from "../../core/shape/shape.ts";
import { fileShape } from "./file-shape.ts";
import type { ValueRow } from "./list-values.ts";

/** What a dotted path means in a configuration. */
export type FoundValues =
  | { readonly kind: "set"; readonly rows: readonly ValueRow[] }
  /** The setting exists, and nobody set it; `about` says what it is for. */
  | { readonly kind: "unset"; readonly about: string | null }
  | { readonly kind: "unknown"; readonly nearest: readonly string[] };

/** The values at or below a path: `mode`, `permissions.allow[0]`, `mcpServers.files.args`, `"a.b"` for a dotted key. */
export function findValues(rows: readonly ValueRow[], path: string): FoundValues {
  const wanted = toSegments(path);
  const isBelow = (row: ValueRow, key: readonly string[]): boolean => {
    const own = toSegments(row.path);
    return key.every((segment, at) => own[at] === segment);
  };
  const known = shapeAt(fileShape, wanted);
  const key = known?.aliasOf === undefined ? wanted : [...wanted.slice(0, -1), known.aliasOf];
  const found = key.length === 0 ? [] : rows.filter((row) => isBelow(row, key));
  if (found.length > 0) return { kind: "set", rows: found };
  if (known !== null) return { kind: "unset", about: known.about ?? null };
  return { kind: "unknown", nearest: nearestPaths(rows, path) };
}

/** `a.b[0]."c.d"` as its parts. */
function toSegments(path: string): readonly string[] {
  return [...path.matchAll(/"((?:[^"\\]|\\.)*)"|[^.[\]"]+/g)].map(([text, quoted]) =>
    quoted === undefined ? text : quoted.replace(/\\(.)/g, "$1"),
  );
}

function shapeAt(shape: Shape, [first, ...rest]: readonly string[]): Shape | null {
  if (first === undefined) return shape;
  switch (shape.kind) {
    case "record": {
      const field = Object.hasOwn(shape.fields, first) ? shape.fields[first] : undefined;
      return field === undefined ? null : shapeAt(field, rest);
    }
    case "map":
      // An unknown name is a typo rather than a setting that is not set.
      return null;
    case "either":
      return shape.options.map((option) => shapeAt(option, [first, ...rest])).find((found) => found !== null) ?? null;
    default:
      return null;
  }
}

/** Matching endings come first: `mode` means `permissions.mode`. */
function nearestPaths(rows: readonly ValueRow[], path: string): readonly string[] {
  const paths = new Set([...rows.flatMap((row) => pathsTo(row.path)), ...pathsOf(fileShape, "")]);
  const ending = [...paths].filter((one) => one.toLowerCase().endsWith(`.${path.toLowerCase()}`));
  return ending.length > 0 ? ending.slice(0, 3) : nearestNames(path, paths);
}

/** The path itself and all its parents, lists as a whole. */
function pathsTo(path: string): readonly string[] {
  const parts = path.replace(/\[\d+\].*$/, "").split(".");
  return parts.map((_, at) => parts.slice(0, at + 1).join("."));
}

function pathsOf(shape: Shape, prefix: string): readonly string[] {
  if (shape.kind !== "record") return [];
  return Object.entries(shape.fields).flatMap(([key, field]) => [
    `${prefix}${key}`,
    ...pathsOf(field, `${prefix}${key}.`),
  ]);
}
