import { defaultOrigin } from "../codes/origin.ts";
import { expandVariables } from "./expand-variables.ts";
import { type ConfigNode, isNull, type ListNode, type MapNode, nodeAt, toNode, toPlain } from "./node.ts";
import { mismatch, type Problem, problem, quote, unknownKey } from "./problems.ts";
import {
  type Flaw,
  fieldOf,
  fits,
  isContainer,
  optionFor,
  type PresentOf,
  type RecordShape,
  type Shape,
  type ShapePlace,
  type ShapeSurroundings,
  type TextShape,
} from "./shape.ts";

/** Everything that is wrong with a value, in the order of the file. */
export function checkShape(node: ConfigNode, shape: Shape, path = ""): readonly Problem[] {
  const problems: Problem[] = [];
  readNode(node, shape, path, { around: NOWHERE, unset: [], problems, converts: false });
  return problems;
}

/** The value in the types that the product works with. The node has to be one that `checkShape` finds nothing wrong with. */
export function readShape<S extends Shape>(node: ConfigNode, shape: S, around: ShapeSurroundings): PresentOf<S> {
  const problems: Problem[] = [];
  const value = readNode(node, shape, "", { around, unset: [], problems, converts: true });
  const [first] = problems;
  if (first !== undefined) throw new Error(`read without a check: ${first.text}`);
  return value as PresentOf<S>; // The type of a shape is made up of what `readNode` gives for each of its kinds.
}

interface Reading {
  readonly around: ShapeSurroundings;
  readonly unset: string[];
  readonly problems: Problem[];
  /** False: nobody wants the value, only what is wrong with it. */
  readonly converts: boolean;
}

const NOWHERE: ShapeSurroundings = { env: null, home: "", baseOf: () => "", notices: [] };

function readNode(node: ConfigNode, shape: Shape, path: string, outer: Reading, key = ""): unknown {
  const reading = shape.unit === true ? { ...outer, unset: [] } : outer;
  const { problems, converts, around, unset } = reading;
  if (isNull(node)) {
    if (shape.nullable === true) return null;
    if (!isContainer(shape) && shape.kind !== "any") return wrong(mismatch(node, shape, path));
  } else if (!fits(shape, node)) return wrong(mismatch(node, shape, path));
  const value = readKind(node, shape, path, reading, key);
  const flaw = shape.valid?.(node) ?? null;
  if (flaw !== null) return wrong(toProblem(flaw, node, path));
  if (!converts || problems.length > 0 || shape.to === undefined) return value;
  const place: ShapePlace = { node, path, key, around, unset };
  return shape.to(value, place);

  function wrong(found: Problem): undefined {
    problems.push(found);
  }
}

/** A rule that cannot be read says itself where it stands. */
function toProblem({ text, code, origin }: Flaw, node: ConfigNode, path: string): Problem {
  if (code !== undefined) return { code, text, origin: node.origin, name: String(toPlain(node)) };
  return problem(origin ?? node.origin, path, `${path} ${text}`);
}

function readKind(node: ConfigNode, shape: Shape, path: string, reading: Reading, key: string): unknown {
  switch (shape.kind) {
    case "text":
      return readText(node, shape, path, reading);
    case "number":
    case "choice":
    case "flag": {
      const value = node.kind === "scalar" ? node.value : null;
      if (!isWithin(value, shape)) reading.problems.push(mismatch(node, shape, path));
      return value;
    }
    case "any":
      return reading.converts ? toPlain(node) : undefined;
    case "list": {
      const items = node.kind === "list" ? node.items : [];
      const values = items.map((item, at) => {
        const below = `${path}[${at}]`;
        // A key with nothing behind it counts as not written; an item with nothing in it is a slip.
        if (!isNull(item) || shape.of.nullable === true || shape.of.kind === "any")
          return readNode(item, shape.of, below, reading);
        reading.problems.push(mismatch(item, shape.of, below));
        return undefined;
      });
      if (shape.merge === "by-name" && node.kind === "list") checkNamesakes(node, path, reading.problems);
      return values;
    }
    case "map": {
      const values = new Map<string, unknown>();
      for (const [name, member] of node.kind === "map" ? node.entries : []) {
        const value = readNode(member, shape.of, join(path, name), reading, name);
        if (reading.converts) values.set(name, value);
      }
      return values;
    }
    case "record":
      return readRecord(node.kind === "map" ? node : null, node, shape, path, reading);
    case "either": {
      const option = optionFor(shape, node);
      return option === undefined ? undefined : readNode(node, option, path, reading, key);
    }
  }
}

function readText(node: ConfigNode, shape: TextShape, path: string, { around, unset, problems }: Reading): string {
  const value = node.kind === "scalar" ? String(node.value) : "";
  if (shape.blank !== true && value.trim() === "")
    problems.push(problem(node.origin, path, `${path} must not be empty`));
  if (shape.expands !== true || around.env === null) return value;
  const expanded = expandVariables(value, around.env);
  for (const name of expanded.unset) if (!unset.includes(name)) unset.push(name);
  return expanded.text;
}

function readRecord(
  map: MapNode | null,
  node: ConfigNode,
  shape: RecordShape,
  path: string,
  reading: Reading,
): unknown {
  const { problems } = reading;
  const values: Record<string, unknown> = {};
  for (const [key, member] of map?.entries ?? []) {
    const field = fieldOf(shape, key);
    if (field === undefined) problems.push(unknownKey(member.origin, key, shape, path));
    else if (!isNull(member)) values[key] = readNode(member, field, join(path, key), reading, key);
    else if (field.nullable === true) values[key] = null;
    else if (!isContainer(field)) problems.push(mismatch(member, field, join(path, key)));
  }
  checkKeys(map, node, shape, path, problems);
  if (!reading.converts || problems.length > 0) return values;
  for (const key of Object.keys(shape.fields)) {
    if (values[key] === undefined) values[key] = initialOf(shape.fields[key], join(path, key), reading, key);
  }
  return values;
}

/** What counts where nothing is written. */
function initialOf(shape: Shape | undefined, path: string, reading: Reading, key: string): unknown {
  if (shape?.default === undefined || shape.default === null) return null;
  return readNode(toNode(shape.default, defaultOrigin), shape, path, reading, key);
}

function checkKeys(map: MapNode | null, node: ConfigNode, shape: RecordShape, path: string, problems: Problem[]): void {
  const has = (key: string) => !isNull(map?.entries.get(key));
  const where = path === "" ? "" : ` in ${path}`;
  for (const [key, { required }] of Object.entries(shape.fields)) {
    if (required === true && !has(key)) problems.push(problem(node.origin, key, `the key "${key}" is missing${where}`));
  }
  const found = (shape.oneOf ?? []).filter(has);
  if (shape.oneOf !== undefined && found.length !== 1) {
    const expected = `exactly one of ${shape.oneOf.join(", ")}`;
    const got = found.length === 0 ? "none" : found.join(" and ");
    problems.push(problem(node.origin, path, `${path} must have ${expected}; found ${got}`));
  }
  for (const [key, member] of map?.entries ?? []) {
    const alias = fieldOf(shape, key)?.aliasOf;
    if (alias === undefined || !map?.entries.has(alias)) continue;
    problems.push(problem(member.origin, key, `"${key}" and "${alias}" are the same setting; keep one of them`));
  }
}

function checkNamesakes(node: ListNode, path: string, problems: Problem[]): void {
  const seen = new Set<string>();
  for (const item of node.items) {
    const name = nodeAt(item, "name");
    if (name?.kind !== "scalar" || typeof name.value !== "string") continue;
    if (seen.has(name.value)) problems.push(problem(name.origin, name.value, `${path} has ${quote(name.value)} twice`));
    seen.add(name.value);
  }
}

function isWithin(value: unknown, shape: Extract<Shape, { kind: "number" | "choice" | "flag" }>): boolean {
  if (shape.kind === "flag") return true;
  if (shape.kind === "choice") return typeof value === "string" && shape.values.includes(value);
  if (typeof value !== "number") return false;
  const whole = shape.fraction === true || Number.isSafeInteger(value);
  return whole && value >= shape.least && value <= (shape.most ?? Number.POSITIVE_INFINITY);
}

function join(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}
