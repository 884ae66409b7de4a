/** Keywords that hold values and not schemas. */
const VALUES: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"]);
/** Keywords whose keys are names and not keywords. */
const NAMED: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependentRequired",
  "dependentSchemas",
  "properties",
]);
/** The same, with patterns for names. */
const BY_PATTERN = "patternProperties";
/** Of each pattern for names, every name is held against every one of them. */
const PATTERN_FOR_NAMES = 5;
const NAME_IN_LIST = 0.2;
const PATTERN_STEP = 0.01;

/** Every object weighs one, written as `{}` at the shortest. */
const SHORTEST_PART = 3;

/** Of 38,000 tools of real servers the heaviest weighs 600. */
export const MAX_SCHEMA_WEIGHT = 2_000;

/** Whether a schema of this text can be too heavy at all; for nearly every one that is clear at once. */
export function mayBeHeavy(text: string): boolean {
  const heaviest = (text.length / SHORTEST_PART) * restFactor(text);
  return heaviest > MAX_SCHEMA_WEIGHT || text.includes('"pattern');
}

/**
 * What it takes to get ready to hold arguments against a schema, counted in parts of it: a server chooses its schemas, and
 * every caller waits while one is made into code. Throws a `RangeError` for what is too deep to be read.
 */
export function schemaWeight(schema: unknown, text: string): number {
  return partWeight(schema) * restFactor(text);
}

function restFactor(text: string): number {
  return asksForTheRest(text) ? 2 : 1;
}

/** Whether it says something about properties or items that nothing else in it speaks of, which takes a book of those. */
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
    if (NAMED.has(keyword)) sum += namedWeight(value);
    else if (keyword === BY_PATTERN) sum += namedWeight(value) + patternsWeight(value);
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

/** An escape, a class, a count, or any one character. What is longer counts by its characters, so that this stays linear. */
const PIECE = /\\(?:[pP]\{[^}]{0,40}\}|.)|\[\^?\]?(?:\\.|[^\]\\]){0,200}\]|\{(\d{1,4})(?:,(\d{0,4}))?\}|./gsu;

/** About how many steps a pattern has once its counts are written out, as engines of linear time do. */
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
  // A group that is left open is no pattern; what stands in it counts once.
  return outer.reduce((all, one) => all + one, sum);
}
