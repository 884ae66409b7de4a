import { expandAlternatives, isLiteralName, matchesSegments } from "./glob-match.ts";
import { mayMeet } from "./glob-meet.ts";
import { normalize, type PathWorld, throughAliases, toSegments } from "./paths.ts";

/** A `Read`, `Edit` or `Write` pattern, as documented for Claude Code: gitignore style with four anchors. */
export interface PathGlob {
  readonly text: string;
  /** It has no wildcard, so it names exactly one file. */
  readonly isLiteral: boolean;
  /** For each alternative, its literal prefix; all of it if it is literal. */
  readonly starts: readonly string[];
  /** The last name of each path that it broadly matches, folded; `*` if that can be any name. */
  readonly lastNames: readonly string[];
  /** For each of its patterns, the names that every path has which it matches in any way, folded. */
  plainNames(): readonly (readonly string[])[];
  /** `broadly` errs towards matching, which is right for deny and ask; `exactly` must cover exactly this path. */
  matches(path: string, how: "broadly" | "exactly"): boolean;
  /** Whether it may broadly match a path that a shell expands from this pattern. */
  mayMatch(expanded: string): boolean;
}

type Anchors = Pick<PathWorld, "cwd" | "home" | "aliases"> & {
  /** The folder of the file that contains the rule. */
  readonly settings: string;
};

/** `//abs`, `~/home`, `/relative to the settings`; `./` or nothing is relative to the working directory. */
export function toPathGlob(text: string, anchors: Anchors): PathGlob {
  const { cwd } = anchors;
  const alternatives = expandAlternatives(text.trim());
  const floats = !/^(?:\/|~|\.\.?\/)/.test(text);
  const patterns = alternatives.map((one) => anchor(one, anchors));
  const loose = alternatives.flatMap((one) => (floats ? looseForms(one) : []));
  const folders = alternatives.map((one) => one.endsWith("/"));
  const wide = [...patterns, ...loose];
  const below = wide.map((pattern) => [...withoutStars(pattern), "**"]);
  const broad = below.map((pattern) => pattern.map(fold));
  // `[!A-Z]` in lower case would miss its own matches.
  const classes = below.filter((pattern) => pattern.some((segment) => segment.includes("[")));
  return {
    text,
    isLiteral: !/[*?[{]/.test(text),
    starts: patterns.map(startOf),
    lastNames: broad.map((pattern) => withoutStars(pattern).at(-1) ?? "*"),
    plainNames() {
      const anywhere = isBare(text) ? [[...toSegments(cwd), text].map(fold)] : [];
      return [...broad, ...anywhere].map((pattern) => pattern.filter(isLiteralName));
    },
    matches(path, how) {
      if (how === "broadly") {
        const folded = foldedSegments(path);
        const isMeant = broad.some((pattern) => matchesSegments(pattern, folded));
        return isMeant || classes.some((pattern) => matchesSegments(pattern, toSegments(path)));
      }
      const segments = toSegments(path);
      const exact = patterns.some((pattern, index) =>
        folders[index] === true ? startsWith(pattern, segments) : matchesSegments(pattern, segments),
      );
      return exact || matchesAnywhere(text, segments, toSegments(cwd));
    },
    mayMatch(expanded) {
      const folded = foldedSegments(expanded);
      return broad.some((pattern) => mayMeet(pattern, folded));
    },
  };
}

/** All rules are matched against the same path in turn, so the last one is cached. */
let last: { readonly path: string; readonly segments: readonly string[] } = { path: "", segments: [] };

export function foldedSegments(path: string): readonly string[] {
  if (last.path !== path) last = { path, segments: toSegments(path).map(fold) };
  return last.segments;
}

/** Some file systems ignore case and Unicode composition, so another spelling is the same file there. */
export function fold(segment: string): string {
  return segment.normalize("NFC").toLowerCase();
}

function anchor(pattern: string, { cwd, home, settings, aliases }: Anchors): readonly string[] {
  if (pattern.startsWith("//")) return toSegments(throughAliases(`/${toSegments(pattern).join("/")}`, aliases));
  if (pattern === "~" || pattern.startsWith("~/")) return [...toSegments(home), ...toSegments(pattern.slice(1))];
  if (pattern.startsWith("/")) return [...toSegments(settings), ...toSegments(pattern)];
  return toSegments(normalize(`${cwd}/${pattern}`));
}

function startOf(pattern: readonly string[]): string {
  const wild = pattern.findIndex((segment) => /[*?[]/.test(segment));
  return `/${pattern.slice(0, wild === -1 ? pattern.length : wild).join("/")}`;
}

/** A bare name matches in every folder below the working directory, as in gitignore. */
function matchesAnywhere(text: string, path: readonly string[], cwd: readonly string[]): boolean {
  return isBare(text) && matchesSegments([...cwd, "**", text], path);
}

function isBare(text: string): boolean {
  return !text.includes("/") && !text.startsWith("~");
}

/** Deny and ask patterns without an anchor match anywhere: `**\/.env`, `.env`, `src/**`. */
function looseForms(pattern: string): readonly (readonly string[])[] {
  const segments = toSegments(pattern);
  if (segments[0] === "**") return [segments];
  return segments.length === 1 || (segments.length === 2 && segments[1] === "**") ? [["**", ...segments]] : [];
}

/** The pattern names the path or one of its parent folders. */
function startsWith(pattern: readonly string[], path: readonly string[]): boolean {
  return matchesSegments([...withoutStars(pattern), "**"], path);
}

function withoutStars(pattern: readonly string[]): readonly string[] {
  return pattern.at(-1) === "**" ? pattern.slice(0, -1) : pattern;
}
