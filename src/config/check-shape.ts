import { nearestNames } from "../core/codes/nearest-name.ts";
import { formatOrigin, type Origin } from "../core/codes/origin.ts";
import { isToolcribError, ToolcribError } from "../core/codes/toolcrib-error.ts";
import { parseRule } from "../core/rules/rule.ts";
import { type ConfigNode, isNull, type MapNode, nodeAt, type Scalar } from "./config-node.ts";
import { fieldOf, fits, isContainer, optionFor, type RecordShape, type Shape } from "./shape.ts";

export interface Problem {
  readonly code: "config.invalid" | "rule.invalid";
  readonly text: string;
  readonly origin: Origin;
  /** The key or value that is wrong. */
  readonly name: string;
}

/** Everything that is wrong with a value, in the order of the file. */
export function checkShape(node: ConfigNode, shape: Shape, path = ""): readonly Problem[] {
  if (isNull(node) && (shape.nullable === true || isContainer(shape))) return [];
  if (!fits(shape, node)) return [mismatch(node, shape, path)];
  switch (shape.kind) {
    case "text":
      return checkText(node, shape, path);
    case "number":
    case "choice":
      return isWithin(node, shape) ? [] : [mismatch(node, shape, path)];
    case "flag":
    case "any":
      return [];
    case "list":
      return [
        ...itemsOf(node).flatMap((item, index) => checkShape(item, shape.of, `${path}[${index}]`)),
        ...(shape.merge === "by-name" ? checkNamesakes(node, path) : []),
      ];
    case "map":
      return entriesOf(node).flatMap(([key, value]) => checkShape(value, shape.of, join(path, key)));
    case "record":
      return node.kind === "map" ? checkRecord(node, shape, path) : [];
    case "either": {
      const option = optionFor(shape, node);
      return option === undefined ? [] : checkShape(node, option, path);
    }
  }
}

/** One error for all problems, one line each. */
export function throwProblems(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  const code = problems.every((problem) => problem.code === "rule.invalid") ? "rule.invalid" : "config.invalid";
  throw new ToolcribError(code, problems.map(({ text }) => text).join("\n"), {
    names: problems.map(({ name }) => name),
    origin: first.origin,
  });
}

export function problem(origin: Origin, name: string, text: string, code: Problem["code"] = "config.invalid"): Problem {
  return { code, name, origin, text: `${formatOrigin(origin)}: ${text}` };
}

function checkRecord(node: MapNode, shape: RecordShape, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  for (const [key, value] of node.entries) {
    const field = fieldOf(shape, key);
    if (field === undefined) problems.push(unknownKey(value.origin, key, shape, path));
    else for (const wrong of checkShape(value, field, join(path, key))) problems.push(wrong);
  }
  const where = path === "" ? "" : ` in ${path}`;
  for (const key of shape.required ?? []) {
    if (isNull(node.entries.get(key))) problems.push(problem(node.origin, key, `the key "${key}" is missing${where}`));
  }
  if (shape.oneOf !== undefined) {
    const found = shape.oneOf.filter((key) => !isNull(node.entries.get(key)));
    if (found.length !== 1) {
      const expected = `exactly one of ${shape.oneOf.join(", ")}`;
      const got = found.length === 0 ? "none" : found.join(" and ");
      problems.push(problem(node.origin, path, `${path} must have ${expected}; found ${got}`));
    }
  }
  return [...problems, ...checkAliases(node, shape), ...checkTransport(node, path)];
}

function checkNamesakes(node: ConfigNode, path: string): readonly Problem[] {
  const seen = new Set<string>();
  return itemsOf(node).flatMap((item) => {
    const name = nodeAt(item, "name");
    if (name?.kind !== "scalar" || typeof name.value !== "string") return [];
    if (seen.has(name.value)) return [problem(name.origin, name.value, `${path} has ${quote(name.value)} twice`)];
    seen.add(name.value);
    return [];
  });
}

function checkAliases(node: MapNode, shape: RecordShape): readonly Problem[] {
  return [...node.entries].flatMap(([key, value]) => {
    const alias = fieldOf(shape, key)?.aliasOf;
    if (alias === undefined || !node.entries.has(alias)) return [];
    return [problem(value.origin, key, `"${key}" and "${alias}" are the same setting; keep one of them`)];
  });
}

/** `type` must agree with what else a server says. */
function checkTransport(node: MapNode, path: string): readonly Problem[] {
  const type = nodeAt(node, "type");
  if (type?.kind !== "scalar" || !path.includes("mcpServers")) return [];
  const missing = type.value === "stdio" || type.value === "local" ? "command" : "url";
  const other = missing === "url" ? "command" : "url";
  if (isNull(node.entries.get(other)) || !isNull(node.entries.get(missing))) return [];
  return [
    problem(type.origin, path, `${path} is of type ${String(type.value)}, which takes ${missing}; found ${other}`),
  ];
}

function unknownKey(origin: Origin, key: string, shape: RecordShape, path: string): Problem {
  const known = Object.keys(shape.fields);
  const inside = Object.entries(shape.fields).flatMap(([outer, field]) =>
    field.kind === "record" && fieldOf(field, key) !== undefined ? [quote(`${outer}.${key}`)] : [],
  );
  const where = path === "" ? "" : ` in ${path}`;
  const nested = inside.length === 0 ? "" : `; did you mean ${inside.join(" or ")}?`;
  const hint = nested || didYouMean(key, known) || `; expected one of ${known.join(", ")}`;
  return problem(origin, key, `unknown key ${quote(key)}${where}${hint}`);
}

function checkText(node: ConfigNode, shape: Extract<Shape, { kind: "text" }>, path: string): readonly Problem[] {
  const value = node.kind === "scalar" ? String(node.value) : "";
  if (value.trim() === "" && shape.blank !== true) {
    return [problem(node.origin, path, `${path} must not be empty`)];
  }
  if (shape.means === "use" && !/.:[^:]+$/.test(value)) {
    return [problem(node.origin, path, `${path} must be module:export; found ${quote(value)}`)];
  }
  if (shape.means !== "rule") return [];
  try {
    parseRule(value, node.origin);
    return [];
  } catch (error) {
    if (!isToolcribError(error)) throw error;
    return [{ code: "rule.invalid", text: error.message, origin: node.origin, name: value }];
  }
}

function isWithin(node: ConfigNode, shape: Extract<Shape, { kind: "number" | "choice" }>): boolean {
  if (node.kind !== "scalar") return false;
  if (shape.kind === "choice") return typeof node.value === "string" && shape.values.includes(node.value);
  if (typeof node.value !== "number") return false;
  const whole = shape.least === Number.NEGATIVE_INFINITY || Number.isSafeInteger(node.value);
  return whole && node.value >= shape.least && node.value <= (shape.most ?? Number.POSITIVE_INFINITY);
}

function mismatch(node: ConfigNode, shape: Shape, path: string): Problem {
  const hint = node.kind === "scalar" ? hintFor(node.value, shape) : "";
  const what = path === "" ? "the file" : path;
  return problem(node.origin, path, `${what} must be ${expected(shape)}; found ${found(node, shape)}${hint}`);
}

/** What to write instead, where that is plain. */
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
      if (shape.least === Number.NEGATIVE_INFINITY) return "a number";
      return shape.most === undefined
        ? `a whole number of at least ${shape.least}`
        : `a whole number from ${shape.least} to ${shape.most}`;
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

/** Secrets are not repeated, and long values are cut. */
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

/** `exclude` for `excludeTools`, `servers` for `mcpServers`: too far apart for a slip, near enough for a person. */
function longerForm(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  return wanted.length < 4 ? undefined : known.find((key) => key.toLowerCase().includes(wanted));
}

function quote(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}…` : value);
}

function itemsOf(node: ConfigNode): readonly ConfigNode[] {
  return node.kind === "list" ? node.items : [];
}

function entriesOf(node: ConfigNode): readonly (readonly [string, ConfigNode])[] {
  return node.kind === "map" ? [...node.entries] : [];
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
