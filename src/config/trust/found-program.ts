import type { Notice } from "../../core/codes/reason.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { maskWords } from "../shape/mask-secrets.ts";
import { showPlain } from "../shape/show-plain.ts";
import { hashText } from "./hash-files.ts";
import type { ShownValue, WrittenItem } from "./trust-items.ts";

/** Something in a folder that would be run: it is trusted with its content, like an entry as written. */
export interface FoundProgram {
  readonly what: "extension" | "skill program";
  readonly name: string;
  /** Its key: the script or folder of an extension, the file that defines a tool of a skill. */
  readonly key: string;
  /** The file or folder to look at, as the user would write it. */
  readonly file: string;
  /** Hash of everything that it may run. */
  readonly digest: string;
  /** What it says to run, for people. */
  readonly runs: readonly ShownValue[];
}

export interface FoundPrograms {
  readonly programs: readonly FoundProgram[];
  readonly notices: readonly Notice[];
}

export function toFoundItem({ what, name, key, file, digest, runs }: FoundProgram): WrittenItem {
  const path = what === "extension" ? "extensions[]" : "skillDirectories[]";
  const origin = { kind: "file", file, line: null } as const;
  return { what, name, path, origin, hash: hashText(JSON.stringify([path, key, digest])), runs };
}

interface Runs {
  /** A command line, as far as it is one. */
  readonly words?: unknown;
  readonly env?: unknown;
  readonly use?: unknown;
  readonly mcp?: unknown;
}

/** Secrets are masked, and a long text is visibly shortened. */
export function describeRuns({ words, env, use, mcp }: Runs): readonly ShownValue[] {
  const texts = Array.isArray(words) ? words.slice(0, MOST_WORDS).filter((word) => typeof word === "string") : [];
  const variables = isRecord(env) ? Object.entries(env) : [];
  const rows: readonly (readonly [string, string])[] = [
    ["runs", maskWords(texts, showPlain).map(toShownWord).join(" ")],
    ["use", typeof use === "string" ? use : ""],
    ["mcp", typeof mcp === "string" ? mcp : ""],
    ...variables.map(([name, value]) => [`env.${name}`, showPlain(name, String(value))] as const),
  ];
  return rows.flatMap(([path, value]) => (value === "" ? [] : [{ path, value: cut(value) }]));
}

const MOST_WORDS = 10_000;
const LONGEST = 500;

export function toShownWord(value: unknown): string {
  const text = String(value);
  return /^[\w@%+=:,./*-]+$/.test(text) ? text : JSON.stringify(text);
}

function cut(text: string): string {
  const letters = [...text];
  if (letters.length <= LONGEST) return text;
  return `${letters.slice(0, LONGEST).join("")} … (cut: ${letters.length - LONGEST} more characters)`;
}
