import { isLeaf, type RecordShape, type Shape } from "../../core/shape/shape.ts";
import { fileShape } from "./file-shape.ts";
import { wordFor } from "./trust-table.ts";

/** The rows of `docs/reference/configuration.md`, one per key, as Markdown. A repeated shape is described once. */
export function toKeyTable(): string {
  const head = ["| key | value | default | layers | trust | what it does |", "|---|---|---|---|---|---|"];
  const told = new Set<Shape>();
  return [...head, ...rowsOf(fileShape, "", null)].join("\n");

  function rowsOf(shape: RecordShape, prefix: string, above: string | null): readonly string[] {
    return Object.entries(shape.fields).flatMap(([key, field]) => [
      rowOf(`${prefix}${key}`, field, above ?? trustOf(field)),
      ...rowsBelow(field, `${prefix}${key}`, above),
    ]);
  }

  function rowsBelow(shape: Shape, path: string, above: string | null): readonly string[] {
    const inside = above ?? (shape.policyOnly === true ? "" : shape.trust === undefined ? null : WITH_ITS_ENTRY);
    switch (shape.kind) {
      case "record":
        if (told.has(shape) || (TOP.has(shape) && path.includes("."))) return [];
        told.add(shape);
        return rowsOf(shape, `${path}.`, inside);
      case "list":
        return rowsBelow(shape.of, `${path}[]`, inside);
      case "map":
        return rowsBelow(shape.of, `${path}.<name>`, inside);
      case "either":
        return shape.options.flatMap((option) => rowsBelow(option, path, inside));
      default:
        return [];
    }
  }
}

/** Told where they stand for themselves. */
const TOP: ReadonlySet<Shape> = new Set(Object.values(fileShape.fields));

/** Trusting the entry includes this. */
const WITH_ITS_ENTRY = "with its entry";

function rowOf(path: string, shape: Shape, trust: string): string {
  const initial = shape.default === undefined || shape.kind === "record" ? "" : `\`${shown(shape.default)}\``;
  return `| \`${path}\` | ${kindOf(shape)} | ${initial} | ${layersOf(shape, path)} | ${trust} | ${shape.about ?? ""} |`;
}

function shown(value: Shape["default"]): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function kindOf(shape: Shape): string {
  const orNull = shape.nullable === true ? " or null" : "";
  switch (shape.kind) {
    case "text":
      return (shape.means ?? "text") + orNull;
    case "number":
      return "number";
    case "flag":
      return "true or false";
    case "choice":
      return shape.values.map((value) => `\`${value}\``).join(", ");
    case "list":
      return `list of ${kindOf(shape.of)}${orNull}`;
    case "map":
      return `map of ${kindOf(shape.of)}`;
    case "record":
      return "map";
    case "any":
      return "anything";
    case "either":
      return [...new Set(shape.options.map(kindOf))].join(" or ") + orNull;
  }
}

function layersOf(shape: Shape, path: string): string {
  if (shape.policyOnly === true) return "policy only";
  if (shape.aliasOf !== undefined) return `as \`${shape.aliasOf}\``;
  if (path.includes("[]") || /^(?:mcpServers|toolSearch|model)\./.test(path)) return "";
  if (shape.merge === "union") return "union";
  if (shape.merge === "append") return "joined";
  if (shape.merge === "by-name") return "by name";
  if (shape.merge !== "replace" && (shape.kind === "map" || shape.kind === "record")) return "by key";
  return "highest";
}

/** What counts of an untrusted project; the mark may be that of the level inside the value. */
function trustOf(shape: Shape): string {
  const inner = shape.kind === "list" || shape.kind === "map" ? shape.of.trust : undefined;
  const mark = shape.trust ?? inner;
  if (mark === undefined) return isLeaf(shape) ? "needed" : "";
  return wordFor(mark);
}
