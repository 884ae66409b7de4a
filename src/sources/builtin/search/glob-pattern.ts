import { RE2JS } from "re2js";

/** Whether a path, with slashes and relative to the start of the pattern, matches. */
export type PathMatcher = (path: string) => boolean;

const LONGEST_PATTERN = 1_000;

/**
 * A matcher for a glob: `*` and `?` stay inside a folder, `**` does not, `[a-z]` and `{a,b}` choose. Without a slash
 * the pattern matches a name in any folder. Null if it is not a glob. Runs in linear time, because patterns come from
 * models.
 */
export function toPathMatcher(glob: string): PathMatcher | null {
  if (glob === "" || glob.length > LONGEST_PATTERN) return null;
  const anchored = glob.replace(/^\.?\//u, "");
  const anywhere = !glob.replace(/\/$/u, "").includes("/");
  return compileGlob(anywhere ? `**/${anchored}` : anchored, true);
}

/** The same for a whole path; braces are literal if `braces` is false, as in `.gitignore`. */
export function compileGlob(glob: string, braces: boolean): PathMatcher | null {
  const plain = /^\*\*\/([^*?[\]{}\\/]+)$/u.exec(glob)?.[1];
  if (plain !== undefined) return (path) => path === plain || path.endsWith(`/${plain}`);
  const ending = /^\*\*\/\*(\.[^*?[\]{}\\/]+)$/u.exec(glob)?.[1];
  if (ending !== undefined) return (path) => path.endsWith(ending);
  try {
    const pattern = RE2JS.compile(toPattern(glob, braces), RE2JS.DOTALL);
    return (path) => pattern.testExact(path);
  } catch {
    return null;
  }
}

function toPattern(glob: string, braces: boolean): string {
  let pattern = "";
  let depth = 0;
  for (let at = 0; at < glob.length; ) {
    const [piece] = PIECE.exec(glob.slice(at)) ?? [glob.charAt(at)];
    const startsPart = at === 0 || /[/{,]/u.test(glob.charAt(at - 1));
    at += piece.length;
    if (piece === "**/") pattern += startsPart ? "(?:.*/)?" : "[^/]*/";
    else if (piece.startsWith("*")) pattern += piece !== "*" && startsPart && isPartEnd(glob, at) ? ".*" : "[^/]*";
    else if (piece === "?") pattern += "[^/]";
    else if (piece.length > 2 && piece.startsWith("[")) pattern += toClass(piece);
    else if (piece.length > 1) pattern += RE2JS.quote(piece.slice(1));
    else if (braces && piece === "{") {
      depth += 1;
      pattern += "(?:";
    } else if (braces && piece === "}" && depth > 0) {
      depth -= 1;
      pattern += ")";
    } else if (braces && piece === "," && depth > 0) pattern += "|";
    else pattern += RE2JS.quote(piece);
  }
  return pattern;
}

/** Pieces that match more than themselves: stars, a question mark, a class, an escaped character. */
const PIECE = /^(?:\*\*\/|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.)/su;

function isPartEnd(glob: string, at: number): boolean {
  return at >= glob.length || /[/,}]/u.test(glob.charAt(at));
}

function toClass(piece: string): string {
  const negated = /^\[[!^]/u.test(piece);
  const members = piece.slice(negated ? 2 : 1, -1).replace(/[\\[\]^&~]/gu, "\\$&");
  // A class never matches the slash, not even when it is negated.
  return negated ? `[^/${members}]` : `[${members}]`;
}
