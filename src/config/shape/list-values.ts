import { defaultOrigin, type Origin } from "../../core/codes/origin.ts";
import type { Limit } from "../../core/scene/scene.ts";
import type { ConfigNode, MapNode, Scalar } from "../../core/shape/node.ts";
import type { RecordShape, Shape } from "../../core/shape/shape.ts";
import { fileShape } from "./file-shape.ts";
import { type MaskNamed, maskSecrets } from "./mask-secrets.ts";

/** One line of `toolcrib config`. Secrets are masked, variables are shown as written. */
export interface ValueRow {
  readonly path: string;
  readonly value: Scalar | readonly never[] | Readonly<Record<string, never>>;
  readonly origin: Origin;
}

/** Values as written, and the tools that managed policy limits them to. */
interface WrittenValues {
  readonly written: MapNode;
  readonly limits?: readonly Limit[];
}

/** Every effective value in the order of the reference, including defaults. */
export function listValues(config: WrittenValues): readonly ValueRow[] {
  const rows = listWritten(config);
  const order = Object.keys(fileShape.fields);
  const rank = ({ path }: ValueRow) => order.indexOf(/^[^.[]+/.exec(path)?.[0] ?? "");
  const limits = (config.limits ?? []).flatMap(({ include }) => include?.value ?? []);
  const limitRows = limits.map(({ value, origin }, at) => ({ path: `policy.includeTools[${at}]`, value, origin }));
  return [...rows, ...limitRows, ...defaultRows(rows)].sort((a, b) => rank(a) - rank(b));
}

/** The same without defaults: what somebody wrote. */
export function listWritten({ written }: WrittenValues, maskNamed?: MaskNamed): readonly ValueRow[] {
  const masked = maskSecrets(written, fileShape, maskNamed);
  return masked.kind === "map" ? rowsOf(masked, "") : [];
}

function rowsOf(node: ConfigNode, path: string): readonly ValueRow[] {
  const { origin } = node;
  if (node.kind === "scalar") return [{ path, value: node.value, origin }];
  if (node.kind === "list") {
    if (node.items.length === 0) return [{ path, value: [], origin }];
    return node.items.flatMap((item, index) => rowsOf(item, `${path}[${index}]`));
  }
  if (node.entries.size === 0) return path === "" ? [] : [{ path, value: {}, origin }];
  return [...node.entries].flatMap(([key, value]) => rowsOf(value, joinPath(path, key)));
}

/** Settings that nobody set, if the table knows their default. */
function defaultRows(said: readonly ValueRow[]): readonly ValueRow[] {
  return Object.entries(fileShape.fields).flatMap(([key, shape]) =>
    shape.kind === "record" ? fieldDefaults(key, shape) : toDefault(key, shape.default),
  );

  function fieldDefaults(key: string, shape: RecordShape): readonly ValueRow[] {
    return Object.entries(shape.fields).flatMap(([field, inner]) => toDefault(`${key}.${field}`, inner.default));
  }

  function toDefault(path: string, value: Shape["default"]): readonly ValueRow[] {
    if (value === undefined || said.some((row) => isAtOrBelow(row.path, path))) return [];
    return [{ path, value: value as ValueRow["value"], origin: defaultOrigin }];
  }
}

function isAtOrBelow(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`) || path.startsWith(`${above}[`);
}

/** Keys with dots or brackets are quoted, so that a path has only one reading. */
function joinPath(path: string, key: string): string {
  const shown = /^[^.[\]"\s]+$/.test(key) ? key : JSON.stringify(key);
  return path === "" ? shown : `${path}.${shown}`;
}
