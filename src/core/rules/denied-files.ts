import type { CompiledRule } from "./compile-rules.ts";
import { matchesName } from "./glob-match.ts";
import { fold } from "./path-glob.ts";

/** The files that must not be read, for a search on disk. */
export interface DeniedFiles {
  /** Whether nothing has to be searched for. */
  readonly isEmpty: boolean;
  /** False if no such file or folder has this name; quick, because nearly every name is one of these. */
  mayBe(name: string): boolean;
  /** Whether the file or folder at an absolute path is denied, or lies in a denied folder. */
  has(path: string): boolean;
  /** Absolute paths that rules spell out. */
  readonly named: readonly string[];
}

export function toDeniedFiles(deny: readonly CompiledRule[]): DeniedFiles {
  const globs = deny.flatMap(({ family, matcher }) =>
    family === "read" && matcher.kind === "path" ? [matcher.glob] : [],
  );
  const last = [...new Set(globs.flatMap(({ lastNames }) => lastNames))];
  const literal = new Set(last.filter((name) => !/[*?[\\]/.test(name)));
  // A negated class would miss its own matches once letters are folded.
  const open = last.filter((name) => !literal.has(name)).map((name) => (/[[\\]/.test(name) ? "*" : name));
  return {
    isEmpty: globs.length === 0,
    mayBe(name) {
      const folded = fold(name);
      return literal.has(folded) || open.some((pattern) => matchesName(pattern, folded));
    },
    has: (path) => globs.some((glob) => glob.matches(path, "broadly")),
    named: globs.filter(({ isLiteral }) => isLiteral).flatMap(({ starts }) => starts),
  };
}
