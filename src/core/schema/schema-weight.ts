import { isNaming } from "./keywords.ts";

/** Keywords that hold values and not schemas. */
const VALUES: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"]);
/** For patterns of names: every name is matched against each of them. */
const PATTERN_FOR_NAMES = 5;
const NAME_IN_LIST = 0.2;
const PATTERN_STEP = 0.01;

/** Every object weighs one; the shortest is `{}` and a separator. */
const SHORTEST_PART = 3;

/** Of 38,000 tools of real servers the heaviest weighs 600. */
export const MAX_SCHEMA_WEIGHT = 2_000;

/**
 * Whether a schema whose text has this length can be too heavy at all; a quick answer for nearly every schema. `within`
 * holds its text, and may hold more.
 */
export function mayBeHeavy(length: number, within: string): boolean {
  const most = length / SHORTEST_PART;
  if (most * UNEVALUATED_FACTOR > MAX_SCHEMA_WEIGHT && most * restFactor(within) > MAX_SCHEMA_WEIGHT) return true;
  // The quotation mark alone is everywhere, so it is looked for last.
  return within.includes("pattern") && within.includes('"pattern');
}

/**
 * The cost of compiling a schema for validation, counted in its parts: a server chooses its schemas, and every caller
 * waits while one is compiled. Throws a `RangeError` if it is too deep to be read.
 */
export function schemaWeight(schema: unknown, text: string): number {
  return partWeight(schema) * restFactor(text);
}

const UNEVALUATED_FACTOR = 2;

function restFactor(text: string): number {
  return asksForTheRest(text) ? UNEVALUATED_FACTOR : 1;
}

/** Whether it constrains properties or items that are not evaluated elsewhere, which needs bookkeeping. */
export function asksForTheRest(text: string): boolean {
  return text.includes('"unevaluated');
}

function partWeight(schema: unknown): number {
  if (Array.isArray(schema)) {
    let sum = 0;
    for (const item of schema) sum += typeof item === "string" ? NAME_IN_LIST : partWeight(item);
    return sum;
  }
  if (typeof schema === "boolean") return 1;
  if (typeof schema !== "object" || schema === null) return 0;
  let sum = 1;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "patternProperties") sum += namedWeight(value) + patternsWeight(value);
    else if (keyword === "dependentRequired" || isNaming(keyword)) sum += namedWeight(value);
    else if (keyword === "pattern" && typeof value === "string") sum += 1 + patternSteps(value) * PATTERN_STEP;
    else if (!VALUES.has(keyword)) sum += partWeight(value);
  }
  return sum;
}

function namedWeight(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let sum = 0;
  for (const part of Object.values(value)) sum += partWeight(part);
  return sum;
}

function patternsWeight(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let sum = 0;
  for (const pattern of Object.keys(value)) sum += PATTERN_FOR_NAMES + patternSteps(pattern) * PATTERN_STEP;
  return sum;
}

/** An escape, a class, a count, or one character. Longer ones count by their characters, so that this stays linear. */
const PIECE = /\\(?:[pP]\{[^}]{0,40}\}|.)|\[\^?\]?(?:\\.|[^\]\\]){0,200}\]|\{(\d{1,4})(?:,(\d{0,4}))?\}|./gsu;

/** Roughly how many steps a pattern has with its counts expanded, as linear-time engines do. */
function patternSteps(pattern: string): number {
  const outer: number[] = [];
  let sum = 0;
  let last = 0;
  for (const [piece, least, most] of pattern.matchAll(PIECE)) {
    if (piece === "(") {
      outer.push(sum);
      sum = 0;
      last = 0;
    } else if (piece === ")") {
      last = sum + 1;
      sum = (outer.pop() ?? 0) + last;
    } else if (least !== undefined) {
      const more = last * Math.max(0, Number(least) - 1, Number(most ?? 0) - 1);
      sum += more;
      last += more;
    } else {
      last = 1;
      sum += 1;
    }
  }
  // An unclosed group is no valid pattern; its content counts once.
  return outer.reduce((all, one) => all + one, sum);
}
