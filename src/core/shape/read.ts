import { defaultOrigin } from "../codes/origin.ts";
import { expandVariables } from "./expand-variables.ts";
import { type ConfigNode, isNull, type ListNode, memberOf, nodeAt, toNode, toPlain, writtenKeys } from "./node.ts";
import { type PathStep, quote, stepTo, toPath } from "./path.ts";
import { mismatch, noProblems, type Problem, type Problems, problem, report, unknownKey } from "./problems.ts";
import { remember } from "./remember.ts";
import {
  type Flaw,
  fieldOf,
  fits,
  isContainer,
  type ListShape,
  optionFor,
  type PresentOf,
  type RecordShape,
  type Shape,
  type ShapePlace,
  type ShapeSurroundings,
  type TextShape,
} from "./shape.ts";

/** The problems of a value, in the order of the file. */
export function checkShape(node: ConfigNode, shape: Shape, path = ""): Problems {
  const reading = startReading({ converts: false });
  readNode(node, shape, path, null, reading);
  return reading.problems;
}

/** The value in the types of the product. The node must be free of problems by `checkShape`. */
export function readShape<S extends Shape>(node: ConfigNode, shape: S, around: ShapeSurroundings): PresentOf<S> {
  const reading = startReading({ around });
  const value = readNode(node, shape, "", null, reading);
  const [first] = reading.problems.reported;
  if (first !== undefined) throw new Error(`read without a check: ${first.what}`);
  return value as PresentOf<S>; // The type of a shape follows from what `readNode` returns for each of its kinds.
}

/**
 * Reads data that a program wrote, in one pass: null equals absent, a text may be empty, and unknown keys are reported
 * separately. The value is valid only if there are no problems.
 */
export function readData<S extends Shape>(node: ConfigNode, shape: S): DataReading<S> {
  const unknown = noProblems();
  const reading = startReading({ unknown });
  const value = readNode(node, shape, "", null, reading) as PresentOf<S>; // As in `readShape`.
  return { value, problems: reading.problems, unknown };
}

interface DataReading<S> {
  readonly value: PresentOf<S>;
  readonly problems: Problems;
  readonly unknown: Problems;
}

interface Reading {
  readonly around: ShapeSurroundings;
  readonly unset: string[];
  readonly problems: Problems;
  /** False if only the problems are wanted, not the value. */
  readonly converts: boolean;
  /** Collects unknown keys; null if each is a problem, as in what people write. */
  readonly unknown: Problems | null;
}

function startReading(given: Partial<Reading>): Reading {
  return { around: NOWHERE, unset: [], problems: noProblems(), converts: true, unknown: null, ...given };
}

const NOWHERE: ShapeSurroundings = { env: null, home: "", baseOf: () => "", notices: [] };

/** `key` is the last step from `above` to the node: the whole path is built only on demand. */
function readNode(node: ConfigNode, shape: Shape, above: string, key: PathStep, outer: Reading): unknown {
  const reading = shape.unit === true ? { ...outer, unset: [] } : outer;
  const { problems, converts, around, unset } = reading;
  if (isNull(node)) {
    if (shape.nullable === true) return null;
    if (reading.unknown !== null || (!isContainer(shape) && shape.kind !== "any"))
      return report(problems, mismatch, node, shape, stepTo(above, key));
  } else if (!fits(shape, node)) return report(problems, mismatch, node, shape, stepTo(above, key));
  const value = readKind(node, shape, above, key, reading);
  const flaw = shape.valid === undefined ? null : shape.valid(node);
  if (flaw !== null) return report(problems, toProblem, flaw, node, stepTo(above, key));
  if (!converts || problems.count > 0 || shape.to === undefined) return value;
  const path = stepTo(above, key);
  const place: ShapePlace = { node, path, key: typeof key === "string" ? key : "", around, unset };
  return shape.to(value, place);
}

function toProblem({ text, code, origin }: Flaw, node: ConfigNode, path: string): Problem {
  if (code !== undefined) return { code, what: text, origin: node.origin, name: String(toPlain(node)) };
  return problem(origin ?? node.origin, path, `${path} ${text}`);
}

function readKind(node: ConfigNode, shape: Shape, above: string, key: PathStep, reading: Reading): unknown {
  switch (shape.kind) {
    case "text":
      return readText(node, shape, above, key, reading);
    case "number":
    case "choice":
    case "flag": {
      const value = node.kind === "scalar" ? node.value : null;
      if (!isWithin(value, shape)) report(reading.problems, mismatch, node, shape, stepTo(above, key));
      return value;
    }
    case "any":
      return reading.converts ? toPlain(node) : undefined;
    case "list":
      return readList(node, shape, stepTo(above, key), reading);
    case "map": {
      const path = stepTo(above, key);
      const values = new Map<string, unknown>();
      for (const [name, member] of node.kind === "map" ? node.entries : []) {
        if (reading.unknown !== null && isNull(member)) continue;
        const value = readNode(member, shape.of, path, name, reading);
        if (reading.converts) values.set(name, value);
      }
      return values;
    }
    case "record":
      return readRecord(node, shape, above, key, reading);
    case "either": {
      const option = optionFor(shape, node);
      return option === undefined ? undefined : readNode(node, option, above, key, reading);
    }
  }
}

function readText(node: ConfigNode, shape: TextShape, above: string, key: PathStep, reading: Reading): string {
  const { around, unset, problems, unknown } = reading;
  const value = node.kind === "scalar" ? String(node.value) : "";
  if (unknown === null && shape.blank !== true && value.trim() === "") {
    const path = stepTo(above, key);
    report(problems, problem, node.origin, path, `${path} must not be empty`);
  }
  if (shape.expands !== true || around.env === null || !value.includes("$")) return value;
  const expanded = expandVariables(value, { ...around.env, ...around.keysOf?.(node.origin) });
  for (const name of expanded.unset) if (!unset.includes(name)) unset.push(name);
  return expanded.text;
}

function readList(node: ConfigNode, { of, merge }: ListShape, path: string, reading: Reading): readonly unknown[] {
  if (node.kind !== "list") return [];
  if (merge === "by-name") checkNamesakes(node, path, reading.problems);
  if (of.kind === "record" && of.sparse === true && reading.unknown !== null && Array.isArray(node.plain))
    return readItems(node.plain, node, of, path, reading);
  return node.items.map((item, at) => readItem(item, of, path, at, reading));
}

function readItem(item: ConfigNode, of: Shape, path: string, at: number, reading: Reading): unknown {
  // A key without a value counts as absent; an empty item is a mistake.
  if (!isNull(item) || of.nullable === true || of.kind === "any") return readNode(item, of, path, at, reading);
  return report(reading.problems, mismatch, item, of, stepTo(path, at));
}

/** Nodes are made of those items alone that cannot be read without one. */
function readItems(
  plain: readonly unknown[],
  node: ListNode,
  of: RecordShape,
  path: string,
  reading: Reading,
): unknown[] {
  let items: readonly ConfigNode[] | null = null;
  const itemAt = (at: number): ConfigNode => {
    items ??= node.items;
    return items[at] as ConfigNode; // There is one for each value.
  };
  return plain.map((value, at) => {
    const values = readSparse(value, of);
    if (values === undefined) return readItem(itemAt(at), of, path, at, reading);
    if (of.to === undefined || reading.problems.count > 0) return values;
    return of.to(values, new ItemPlace(itemAt, at, path, reading));
  });
}

/** Few converters ask where a value stands, and a file may hold very many. */
class ItemPlace implements ShapePlace {
  readonly key = "";
  readonly around: ShapeSurroundings;
  readonly unset: string[];
  readonly #itemAt: (at: number) => ConfigNode;
  readonly #at: number;
  readonly #above: string;

  constructor(itemAt: (at: number) => ConfigNode, at: number, above: string, { around, unset }: Reading) {
    this.around = around;
    this.unset = unset;
    this.#itemAt = itemAt;
    this.#at = at;
    this.#above = above;
  }

  get node(): ConfigNode {
    return this.#itemAt(this.#at);
  }

  get path(): string {
    return stepTo(this.#above, this.#at);
  }
}

function readRecord(node: ConfigNode, shape: RecordShape, above: string, step: PathStep, reading: Reading): unknown {
  const { problems, unknown } = reading;
  const path = (): string => stepTo(above, step);
  const keys = keysOf(shape.fields);
  const values: Record<string, unknown> = shape.sparse === true ? {} : { ...keys.initial };
  for (const key of writtenKeys(node)) {
    const field = fieldOf(shape, key);
    const ready = field === undefined || unknown === null ? undefined : readyOf(node.plain, key, field);
    if (ready !== undefined) {
      values[key] = ready;
      continue;
    }
    const member = memberOf(node, key);
    if (member === undefined) continue;
    if (field === undefined) report(unknown ?? problems, unknownKey, member.origin, key, shape, path());
    else if (!isNull(member)) values[key] = readNode(member, field, path(), key, reading);
    else if (unknown !== null) continue;
    else if (field.nullable === true) values[key] = null;
    else if (!isContainer(field)) report(problems, mismatch, member, field, toPath(path(), key));
  }
  checkKeys(node, shape, path, reading);
  if (!reading.converts || problems.count > 0 || shape.sparse === true) return values;
  for (const [key, field, unsaid] of keys.computed)
    if (values[key] === undefined) values[key] = readNode(toNode(unsaid, defaultOrigin), field, path(), key, reading);
  return values;
}

/** The value of a key, if data from a program is read as it is; it needs no node then: nearly everything in a large file. */
function readyOf(plain: unknown, key: string, shape: Shape): unknown {
  const value: unknown = Reflect.get(plain as object, key);
  return shape.to === undefined && shape.valid === undefined && isReady(value, shape) ? value : undefined;
}

function isReady(value: unknown, shape: Shape): boolean {
  switch (shape.kind) {
    case "text":
      return typeof value === "string";
    case "flag":
      return typeof value === "boolean";
    case "number":
    case "choice":
      return isWithin(value, shape);
    default:
      return shape.kind === "any" && value !== null && value !== undefined;
  }
}

/**
 * A record of a file that holds very many like it, read without a node. Undefined if it has anything to convert or to
 * report: then it is read again, as all else is.
 */
function readSparse(plain: unknown, { fields, valid, oneOf }: RecordShape): Record<string, unknown> | undefined {
  if (typeof plain !== "object" || plain === null || Array.isArray(plain)) return undefined;
  const { byName, required, aliases } = keysOf(fields);
  if (valid !== undefined || oneOf !== undefined || aliases.length > 0) return undefined;
  const values: Record<string, unknown> = {};
  for (const key of Object.keys(plain)) {
    const field = byName.get(key);
    if (field === undefined || field.to !== undefined || field.valid !== undefined) return undefined;
    const value: unknown = Reflect.get(plain, key);
    if (isReady(value, field)) values[key] = value;
    else {
      const inner = field.kind === "record" && field.sparse === true ? readSparse(value, field) : undefined;
      if (inner === undefined) return undefined;
      values[key] = inner;
    }
  }
  return required.every((key) => values[key] !== undefined) ? values : undefined;
}

/** A missing value is null, a plain default, or one shared empty list. */
function isReadAsWritten(shape: Shape): boolean {
  const unsaid = shape.default ?? null;
  if (unsaid === null) return true;
  return shape.to === undefined && (!isContainer(shape) || (Array.isArray(unsaid) && unsaid.length === 0));
}

function checkKeys(node: ConfigNode, shape: RecordShape, pathOf: () => string, { problems, unknown }: Reading): void {
  const has = (key: string) => !isNull(memberOf(node, key));
  const { required, aliases } = keysOf(shape.fields);
  for (const key of required) {
    if (has(key)) continue;
    const path = pathOf();
    const where = path === "" ? "" : ` in ${path}`;
    report(problems, problem, node.origin, toPath(path, key), `the key "${key}" is missing${where}`);
  }
  const found = (shape.oneOf ?? []).filter(has);
  if (shape.oneOf !== undefined && found.length !== 1) {
    const expected = `exactly one of ${shape.oneOf.join(", ")}`;
    const got = found.length === 0 ? "none" : found.join(" and ");
    const path = pathOf();
    report(problems, problem, node.origin, path, `${path} must have ${expected}; found ${got}`);
  }
  for (const [key, alias] of aliases) {
    const member = memberOf(node, key);
    if (member === undefined || memberOf(node, alias) === undefined) continue;
    if (unknown !== null && !(has(alias) && has(key))) continue;
    report(problems, problem, member.origin, key, `"${key}" and "${alias}" are the same setting; keep one of them`);
  }
}

interface FieldKeys {
  /** Values of absent keys: null, the default as it is, or undefined if that has to be read first. */
  readonly initial: Readonly<Record<string, unknown>>;
  readonly byName: ReadonlyMap<string, Shape>;
  /** Keys whose default has to be read. */
  readonly computed: readonly (readonly [string, Shape, unknown])[];
  readonly required: readonly string[];
  /** Each with the key it is an alias of. */
  readonly aliases: readonly (readonly [string, string])[];
}

/** Cached: a file may hold a record of one shape ten thousand times. */
const keysOf = remember((fields: RecordShape["fields"]): FieldKeys => {
  const all = Object.entries(fields);
  return {
    initial: Object.fromEntries(
      all.map(([key, field]) => [key, isReadAsWritten(field) ? (field.default ?? null) : undefined]),
    ),
    byName: new Map(all),
    computed: all.flatMap(([key, field]) => (isReadAsWritten(field) ? [] : [[key, field, field.default] as const])),
    required: all.flatMap(([key, { required }]) => (required === true ? [key] : [])),
    aliases: all.flatMap(([key, { aliasOf }]) => (aliasOf === undefined ? [] : [[key, aliasOf] as const])),
  };
});

function checkNamesakes(node: ListNode, path: string, problems: Problems): void {
  const seen = new Set<string>();
  for (const item of node.items) {
    const name = nodeAt(item, "name");
    if (name?.kind !== "scalar" || typeof name.value !== "string") continue;
    const { value, origin } = name;
    if (seen.has(value)) report(problems, problem, origin, value, `${path} has ${quote(value)} twice`);
    seen.add(value);
  }
}

function isWithin(value: unknown, shape: Extract<Shape, { kind: "number" | "choice" | "flag" }>): boolean {
  if (shape.kind === "flag") return true;
  if (shape.kind === "choice") return typeof value === "string" && shape.values.includes(value);
  if (typeof value !== "number") return false;
  const whole = shape.fraction === true || Number.isSafeInteger(value);
  return whole && value >= shape.least && value <= (shape.most ?? Number.POSITIVE_INFINITY);
}
