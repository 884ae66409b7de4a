import { nearestNames } from "../codes/nearest-name.ts";
import type { Origin } from "../codes/origin.ts";
import type { Notice } from "../codes/reason.ts";
import { ToolcribError } from "../codes/toolcrib-error.ts";

const MAX_TOLD = 20;
const MAX_QUOTED = 60;
const IDENTIFIER = /^[A-Za-z_$][\w$-]{0,59}$/;

/** What was found wrong or odd while one file is read. */
export interface Report {
  readonly file: string;
  problem(path: string, expected: string, found: unknown): void;
  unknownKey(path: string, key: string, known: Iterable<string>): void;
  /** Throws `world.invalid` if there was any problem, else gives the notices. */
  finish(): readonly Notice[];
}

/**
 * Reads one value. On a wrong shape it tells the report and returns a stand-in of the right type,
 * so that one pass finds every problem; the stand-ins are never used, because `finish` throws.
 */
export type Reader<T> = (value: unknown, path: string, report: Report) => T;

export function createReport(file: string): Report {
  const problems: { path: string; text: string }[] = [];
  const notices: Notice[] = [];
  let problemCount = 0;
  let unknownCount = 0;
  return {
    file,
    problem(path, expected, found) {
      problemCount += 1;
      if (problems.length >= MAX_TOLD) return;
      problems.push({
        path,
        text: `${path === "" ? "the file" : path}: expected ${expected}, found ${describe(found)}`,
      });
    },
    unknownKey(path, key, known) {
      unknownCount += 1;
      if (notices.length >= MAX_TOLD) return;
      const [nearest] = nearestNames(key, known, 1);
      const advice = nearest === undefined ? "it has no effect" : `did you mean ${JSON.stringify(nearest)}?`;
      const place = joinPath(path, key);
      notices.push({
        level: "warning",
        code: "world.unknown-key",
        text: `nothing reads ${place}; ${advice}`,
        names: [cut(key)],
        origin: { kind: "world", file, path: place },
      });
    },
    finish() {
      if (problemCount > 0) throw toError(file, problems, problemCount);
      const untold = unknownCount - notices.length;
      if (untold === 0) return notices;
      const text = `nothing reads ${untold} more ${untold === 1 ? "key" : "keys"} of this file`;
      return [
        ...notices,
        { level: "warning", code: "world.unknown-key", text, names: [], origin: worldOrigin(file, "") },
      ];
    },
  };
}

export function worldOrigin(file: string, path: string): Origin {
  return { kind: "world", file, path };
}

/** The members of one object, read by key; a key that is absent or null reads as null. */
export interface Fields<Key extends string> {
  readonly path: string;
  read<T>(key: Key, reader: Reader<T>): T | null;
}

export function fieldsOf<Key extends string>(
  value: unknown,
  path: string,
  report: Report,
  keys: ReadonlySet<Key>,
): Fields<Key> {
  const members = toMembers(value, path, report);
  const known: ReadonlySet<string> = keys;
  for (const key of Object.keys(members)) if (!known.has(key)) report.unknownKey(path, key, known);
  return {
    path,
    read(key, reader) {
      const member = Object.hasOwn(members, key) ? members[key] : null;
      if (member === null || member === undefined) return null;
      return reader(member, path === "" ? key : `${path}.${key}`, report);
    },
  };
}

export const anything: Reader<unknown> = (value) => value;

export const string: Reader<string> = (value, path, report) => {
  if (typeof value === "string") return value;
  report.problem(path, "a string", value);
  return "";
};

export const boolean: Reader<boolean> = (value, path, report) => {
  if (typeof value === "boolean") return value;
  report.problem(path, "true or false", value);
  return false;
};

export function integer(least: number): Reader<number> {
  return (value, path, report) => {
    if (Number.isSafeInteger(value) && Number(value) >= least) return Number(value);
    report.problem(path, `a whole number of at least ${least}`, value);
    return least;
  };
}

export function number(least: number): Reader<number> {
  return (value, path, report) => {
    if (typeof value === "number" && Number.isFinite(value) && value >= least) return value;
    report.problem(path, `a number of at least ${least}`, value);
    return least;
  };
}

export function oneOf<const T extends string>(options: readonly [T, ...T[]]): Reader<T> {
  return (value, path, report) => {
    const found = options.find((option) => option === value);
    if (found !== undefined) return found;
    report.problem(path, `one of ${options.map((option) => JSON.stringify(option)).join(", ")}`, value);
    return options[0];
  };
}

export function listOf<T>(reader: Reader<T>): Reader<readonly T[]> {
  return (value, path, report) => {
    if (Array.isArray(value)) return value.map((item: unknown, at) => reader(item, `${path}[${at}]`, report));
    report.problem(path, "a list", value);
    return [];
  };
}

/** An object with any keys. A member that is null counts as absent. */
export function mapOf<T>(
  reader: (value: unknown, path: string, report: Report, key: string) => T,
): Reader<ReadonlyMap<string, T>> {
  return (value, path, report) => {
    const map = new Map<string, T>();
    for (const [key, member] of Object.entries(toMembers(value, path, report))) {
      if (member !== null && member !== undefined) map.set(key, reader(member, joinPath(path, key), report, key));
    }
    return map;
  };
}

export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toMembers(value: unknown, path: string, report: Report): Record<string, unknown> {
  if (isObject(value)) return value as Record<string, unknown>; // Callers read own members only.
  report.problem(path, "an object", value);
  return {};
}

function joinPath(path: string, key: string): string {
  if (!IDENTIFIER.test(key)) return `${path}[${quote(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return typeof value === "object" ? "an object" : String(value);
}

function quote(text: string): string {
  const printable = JSON.stringify(cut(text));
  return printable.replace(/[\p{C}\p{Z}]/gu, (character) =>
    character === " " ? " " : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

function cut(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

function toError(file: string, problems: readonly { path: string; text: string }[], count: number): ToolcribError {
  const lines = problems.map(({ text }) => text);
  if (count > problems.length) lines.push(`and ${count - problems.length} more`);
  const text = lines.length === 1 ? `${file}: ${lines[0]}` : `${file} is not a world:\n  ${lines.join("\n  ")}`;
  const origin = worldOrigin(file, problems[0]?.path ?? "");
  return new ToolcribError("world.invalid", text, {
    names: problems.flatMap(({ path }) => (path === "" ? [] : [path])),
    origin,
  });
}
