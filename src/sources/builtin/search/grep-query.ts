import { RE2JS } from "re2js";
import { TYPE_NAMES, toTypeMatcher } from "./file-types.ts";
import { type PathMatcher, toPathMatcher } from "./glob-pattern.ts";

type OutputMode = "content" | "files_with_matches" | "count";

export interface GrepQuery {
  /** As the caller wrote it. */
  readonly pattern: string;
  readonly regex: RE2JS;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly mode: OutputMode;
  readonly lineNumbers: boolean;
  readonly before: number;
  readonly after: number;
  /** At most so many lines or files. */
  readonly limit: number;
  /** Whether a file is searched, by its path relative to the searched location. */
  readonly wants: PathMatcher;
}

const LONGEST_PATTERN = 2_000;
const LARGEST_PROGRAM = 20_000;
const DEFAULT_LIMIT = 250;
const LARGEST_LIMIT = 10_000;
const MOST_CONTEXT = 100;

/** A query from the arguments of a call, or what is wrong with them. */
export function readGrepQuery(args: Readonly<Record<string, unknown>>): GrepQuery | string {
  const { pattern, glob, type, multiline } = args;
  if (typeof pattern !== "string" || pattern === "") return "The pattern is empty.";
  const regex = compile(pattern, args["-i"] === true, multiline === true);
  if (typeof regex === "string") return regex;
  const fitsGlob = typeof glob === "string" ? toGlobFilter(glob) : ALL;
  if (fitsGlob === null) return `${JSON.stringify(glob)} is not a valid glob; use one such as *.ts or src/**/*.py.`;
  const fitsType = typeof type === "string" ? toTypeMatcher(type) : ALL;
  if (fitsType === null) {
    return `There is no file type ${JSON.stringify(type)}; use glob instead, or one of: ${TYPE_NAMES.join(", ")}.`;
  }
  const around = toCount(args["-C"], 0, MOST_CONTEXT);
  return {
    pattern,
    regex,
    ignoreCase: args["-i"] === true,
    multiline: multiline === true,
    mode: toMode(args.output_mode),
    lineNumbers: args["-n"] === true,
    before: toCount(args["-B"], around, MOST_CONTEXT),
    after: toCount(args["-A"], around, MOST_CONTEXT),
    limit: Math.max(1, toCount(args.head_limit, DEFAULT_LIMIT, LARGEST_LIMIT)),
    wants: (path) => fitsGlob(path) && fitsType(path),
  };
}

const ALL: PathMatcher = () => true;

function compile(pattern: string, ignoreCase: boolean, multiline: boolean): RE2JS | string {
  if (pattern.length > LONGEST_PATTERN) return "The pattern is too long; search for a part of it.";
  const flags = RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) | (multiline ? RE2JS.DOTALL : 0);
  try {
    const regex = RE2JS.compile(pattern, flags);
    return regex.programSize() > LARGEST_PROGRAM ? "The pattern is too complex; use fewer repetitions." : regex;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /u, "") : "it cannot be read";
    return `The pattern is not a valid regular expression: ${reason}. Escape literal brackets; look-around and back-references are not supported.`;
  }
}

function toGlobFilter(glob: string): PathMatcher | null {
  const negated = glob.startsWith("!");
  const matches = toPathMatcher(negated ? glob.slice(1) : glob);
  return negated && matches !== null ? (path) => !matches(path) : matches;
}

function toMode(value: unknown): OutputMode {
  return value === "content" || value === "count" ? value : "files_with_matches";
}

function toCount(value: unknown, otherwise: number, most: number): number {
  return typeof value === "number" && value >= 0 ? Math.min(Math.floor(value), most) : otherwise;
}
