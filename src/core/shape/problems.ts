import { nearestNames } from "../codes/nearest-name.ts";
import { formatOrigin, type Origin } from "../codes/origin.ts";
import { ToolcribError } from "../codes/toolcrib-error.ts";
import type { ConfigNode, Scalar } from "./node.ts";
import { cut, quote } from "./path.ts";
import { fieldOf, type NumberShape, type RecordShape, type Shape } from "./shape.ts";

export interface Problem {
  readonly code: "config.invalid" | "rule.invalid";
  /** What is wrong, without the place. */
  readonly what: string;
  readonly origin: Origin;
  /** The key or value that is wrong. */
  readonly name: string;
}

/** The first problems, and how many there are. */
export interface Problems {
  readonly reported: Problem[];
  count: number;
}

const MAX_REPORTED = 20;

export function noProblems(): Problems {
  return { reported: [], count: 0 };
}

/** Only the first problems are formatted. */
export function report<A extends readonly unknown[]>(
  problems: Problems,
  make: (...args: A) => Problem,
  ...args: A
): void {
  problems.count += 1;
  if (problems.reported.length < MAX_REPORTED) problems.reported.push(make(...args));
}

export function joinProblems(all: readonly Problems[]): Problems {
  const count = all.reduce((sum, one) => sum + one.count, 0);
  return { reported: all.flatMap(({ reported }) => reported).slice(0, MAX_REPORTED), count };
}

/** How many problems were not formatted. */
export function unreported({ reported, count }: Problems): readonly string[] {
  return count > reported.length ? [`and ${count - reported.length} more`] : [];
}

/** One error for all problems, one line each. */
export function throwProblems(problems: Problems): void {
  const { reported } = problems;
  const [first] = reported;
  if (first === undefined) return;
  const lines = reported.map(({ origin, what }) => `${formatOrigin(origin)}: ${what}`);
  throw new ToolcribError(codeOf(reported) ?? "config.invalid", [...lines, ...unreported(problems)].join("\n"), {
    names: reported.map(({ name }) => name),
    origin: first.origin,
    parts: reported.map(({ what, name, origin }) => ({ what, names: [name], origin })),
  });
}

/** If the only problems are unreadable rules, the error is about rules. */
export function codeOf(problems: readonly Problem[]): "rule.invalid" | null {
  return problems.every(({ code }) => code === "rule.invalid") ? "rule.invalid" : null;
}

export function problem(origin: Origin, name: string, what: string): Problem {
  return { code: "config.invalid", name, origin, what };
}

export function unknownKey(origin: Origin, key: string, shape: RecordShape, path: string): Problem {
  const known = Object.keys(shape.fields);
  const inside = Object.entries(shape.fields).flatMap(([outer, field]) =>
    field.kind === "record" && fieldOf(field, key) !== undefined ? [quote(`${outer}.${key}`)] : [],
  );
  const where = path === "" ? "" : ` in ${path}`;
  const nested = inside.length === 0 ? "" : `; did you mean ${inside.join(" or ")}?`;
  const hint = nested || didYouMean(key, known) || `; expected one of ${known.join(", ")}`;
  return problem(origin, cut(key), `unknown key ${quote(key)}${where}${hint}`);
}

export function mismatch(node: ConfigNode, shape: Shape, path: string): Problem {
  const hint = node.kind === "scalar" ? hintFor(node.value, shape) : "";
  const what = path === "" ? "the file" : path;
  return problem(node.origin, path, `${what} must be ${expected(shape)}; found ${found(node, shape)}${hint}`);
}

/** A suggestion, if one is obvious. */
function hintFor(value: Scalar, shape: Shape): string {
  if (typeof value !== "string") return shape.kind === "text" && value !== null ? "; put it in quotes" : "";
  if (shape.kind === "choice") return didYouMean(value, shape.values);
  return shape.kind === "list" && shape.of.kind === "text" && value.trim() !== "" ? `; write [${quote(value)}]` : "";
}

function expected(shape: Shape): string {
  const nothing = shape.nullable === true ? " or null" : "";
  switch (shape.kind) {
    case "text":
      return `text${nothing}`;
    case "number":
      return [shape.fraction === true ? "a number" : "a whole number", rangeOf(shape)].join(" ").trim();
    case "flag":
      return "true or false";
    case "choice":
      return `one of ${shape.values.join(", ")}`;
    case "list":
      return `a list${nothing}`;
    case "map":
    case "record":
      return `a map${nothing}`;
    case "any":
      return "anything";
    case "either":
      return `${shape.options.map(expected).join(", or ")}${nothing}`;
  }
}

function rangeOf({ least, most }: NumberShape): string {
  if (least === Number.NEGATIVE_INFINITY) return "";
  return most === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
}

/** Secrets are not repeated, and long values are shortened. */
function found(node: ConfigNode, shape: Shape): string {
  if (node.kind !== "scalar") return node.kind === "list" ? "a list" : "a map";
  if (node.value === null) return "nothing";
  if (shape.kind === "text" && shape.secret !== undefined) return `a ${typeof node.value}`;
  return typeof node.value === "string" ? quote(node.value) : String(node.value);
}

function didYouMean(name: string, known: readonly string[]): string {
  const [nearest = longerForm(name, known)] = nearestNames(name, known, 1);
  return nearest === undefined ? "" : `; did you mean "${nearest}"?`;
}

/** `exclude` for `excludeTools`, `servers` for `mcpServers`: too different for a typo, near enough for a person. */
function longerForm(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  return wanted.length < 4 ? undefined : known.find((key) => key.toLowerCase().includes(wanted));
}
