import { compileGlob, type PathMatcher } from "./glob-pattern.ts";

interface IgnoreRule {
  readonly matches: PathMatcher;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

/** The rules of one `.gitignore`, for paths under its folder. */
export interface IgnoreRules {
  /** Path of the folder, relative to the root of the rules; empty for the root itself. */
  readonly folder: string;
  readonly rules: readonly IgnoreRule[];
}

const LONGEST_LINE = 1_000;
const MOST_RULES = 5_000;

/** Reads a `.gitignore` as git does. A line that cannot be parsed ignores nothing. */
export function readIgnoreRules(folder: string, text: string): IgnoreRules {
  const lines = text.split(/\r?\n/u, MOST_RULES);
  return { folder, rules: lines.flatMap((line) => toRule(line) ?? []) };
}

/** Whether a path is ignored: the deepest `.gitignore` on the way decides, and in it the last matching rule. */
export function isIgnored(chain: readonly IgnoreRules[], path: string, isFolder: boolean): boolean {
  for (const { folder, rules } of chain.toReversed()) {
    const below = folder === "" ? path : path.slice(folder.length + 1);
    const rule = rules.findLast(({ foldersOnly, matches }) => (isFolder || !foldersOnly) && matches(below));
    if (rule !== undefined) return !rule.negated;
  }
  return false;
}

function toRule(line: string): IgnoreRule | null {
  if (line.length > LONGEST_LINE || line.startsWith("#")) return null;
  const trimmed = line.replace(/(?<!\\)[ \t]+$/u, "");
  const negated = trimmed.startsWith("!");
  const foldersOnly = trimmed.endsWith("/");
  const pattern = trimmed.slice(negated ? 1 : 0, foldersOnly ? -1 : undefined);
  if (pattern === "" || pattern === "/") return null;
  const anchored = pattern.includes("/");
  const matches = compileGlob(anchored ? pattern.replace(/^\//u, "") : `**/${pattern}`, false);
  return matches === null ? null : { matches, negated, foldersOnly };
}
