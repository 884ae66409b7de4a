import type { CompiledRule, Family } from "../compile-rules.ts";
import { matchesName } from "../glob-match.ts";
import { placesBelow, placesOfPattern } from "../linked-places.ts";
import { isAtWork, type PathWorld, placesOf } from "../paths.ts";
import { isFreeTarget, whyProtected } from "../protected-paths.ts";
import type { RuleTable, RuleTables } from "../rule-table.ts";
import { type ShellCommand, type ShellWord, UNKNOWN_TEXT } from "./command-line.ts";
import { baseName } from "./command-pattern.ts";
import { type FileUse, usedFiles } from "./file-uses.ts";
import { asking, byRule, type Finding, show, showCommand } from "./finding.ts";

/** The folders in which a command may run; not `complete` if there may be others. */
export interface Folders {
  readonly known: readonly string[];
  readonly complete: boolean;
}

/**
 * Judges the files that one command reads and writes. No finding means no objection. The first `spelled` words are in
 * an allow rule, so its author knew what they do.
 */
export function fileJudge(rules: RuleTables, world: PathWorld) {
  const judging = { rules, open: withoutCovered(rules, world), world, meet: ruleFinder(rules) };
  return (command: ShellCommand, folders: Folders, spelled = 0): readonly Finding[] => {
    const judge = (use: FileUse): readonly Finding[] => judgeUse(use, command, folders, judging);
    return [...redirectionsOf(command).flatMap(judge), ...usedFiles(command, spelled).flatMap(judge)];
  };
}

interface Judging {
  readonly rules: RuleTables;
  /** The rules that remain when a sandbox covers files. */
  readonly open: RuleTables;
  readonly world: PathWorld;
  readonly meet: ReturnType<typeof ruleFinder>;
}

/** The first deny and ask rule about a word, cached because lines repeat their files. */
function ruleFinder({ deny, ask }: RuleTables) {
  const known = new Map<string, Readonly<Record<"denied" | "asked", CompiledRule | undefined>>>();
  return (family: Family, word: ShellWord, found: readonly string[]) => {
    const key = [family, word.hasGlob, word.text, ...found].join("\0");
    const before = known.get(key);
    if (before !== undefined) return before;
    const isMeant = (rule: CompiledRule): boolean => rule.family === family && means(rule, word, found);
    const sought = { paths: word.hasGlob ? "any" : found } as const;
    const met = { denied: deny.about(sought).find(isMeant), asked: ask.about(sought).find(isMeant) };
    known.set(key, met);
    return met;
  };
}

function redirectionsOf({ redirections }: ShellCommand): readonly FileUse[] {
  return redirections.flatMap(({ effect, target: word }) => {
    if (effect !== "read" && effect !== "write") return [];
    const isWrite = effect === "write";
    const plain = { guessed: false, recursive: false, follows: false, mustStayInside: false };
    return [{ effect, word, ...plain, needsRule: isWrite }];
  });
}

function judgeUse(use: FileUse, command: ShellCommand, folders: Folders, judging: Judging): readonly Finding[] {
  const { word, effect } = use;
  if (word.text === "-" || word.text === "" || isFreeTarget(word.text)) return [];
  const family: Family = effect;
  const places = resolveWord(word, judging.world, folders);
  const { denied, asked } = judging.meet(family, word, places.found);
  const what = (): string => `${effect === "read" ? "reading" : "writing"} ${show(word.text)}`;
  if (denied !== undefined) return [byRule(showCommand(command), "deny", denied, what())];
  if (asked !== undefined) return [byRule(showCommand(command), "ask", asked, what())];
  const open = openRules(judging, places);
  const met = word.hasGlob ? findMet(open, family, places.found) : undefined;
  if (met !== undefined) {
    const text = `${what()}: it may stand for a file that the rule ${met.text} is about, and only the shell knows`;
    return [asking(showCommand(command), "permission.open-pattern", text)];
  }
  const doubt =
    effect === "read" ? doubtRead(use, places, { ...judging, rules: open }) : doubtWrite(use, places, judging);
  return doubt === null ? [] : [asking(showCommand(command), doubt.code, `${what()}: ${doubt.text}`)];
}

/** In the work folders the sandbox hides denied files, so covered rules need not be considered there. */
function openRules({ rules, open, world }: Judging, { found }: Places): RuleTables {
  return found.every((path) => isAtWork(path, world)) ? open : rules;
}

/** Rules without those that deny reading what the sandbox hides anyway. */
export function withoutCovered(rules: RuleTables, { confinement }: PathWorld): RuleTables {
  if (confinement === undefined) return rules;
  const isCovered = ({ family, matcher }: CompiledRule): boolean =>
    family === "read" && matcher.kind === "path" && matcher.glob.starts.every(confinement.covers);
  return { ...rules, deny: rules.deny.without(isCovered) };
}

/** The deny or ask rule about a file that a pattern in the command may match. */
function findMet({ deny, ask }: RuleTables, family: Family, found: readonly string[]): CompiledRule | undefined {
  return [...deny.about({ paths: "any" }), ...ask.about({ paths: "any" })].find(
    (rule) =>
      rule.family === family &&
      rule.matcher.kind === "path" &&
      found.some((path) => rule.matcher.kind === "path" && rule.matcher.glob.mayMatch(path)),
  );
}

interface Doubt {
  readonly code: "permission.file-not-covered" | "permission.protected-path";
  readonly text: string;
}

function uncovered(text: string): Doubt {
  return { code: "permission.file-not-covered", text };
}

function doubtRead(use: FileUse, places: Places, { rules, world }: Judging): Doubt | null {
  if (places.found.some((path) => /^\/dev\/(?:tcp|udp)\//.test(path))) return uncovered("it is a network connection");
  if (use.guessed) return null;
  const hasDeny = rules.deny.has("read", ({ matcher }) => matcher.kind === "path");
  const allows = rules.allow.only("read");
  if (use.mustStayInside && !(places.certain && places.found.every((path) => isAtWork(path, world))))
    return uncovered("it may lie outside of the workspace");
  if (hasDeny && use.recursive) return uncovered("the folder may hold files that a Read rule denies");
  if (hasDeny && !places.certain && !use.word.hasGlob)
    return uncovered("a Read rule denies files, and only the shell knows this one");
  if (hasDeny && use.word.hasGlob && rules.deny.has("read", isOpenEnded))
    return uncovered("a Read rule may deny one of these files");
  if (!allows.has("read")) return use.needsRule ? uncovered("no Read rule covers it") : null;
  // If the folder that a search starts in may be read, so may what it finds there.
  if (!places.certain && use.word.nature !== "below") return uncovered("only the shell knows this file");
  if (!isCovered(allows, places)) return uncovered("no Read rule covers it");
  if (!use.follows || world.confinement !== undefined) return null;
  const below = places.found.map((folder) => placesBelow(folder, world));
  const isInside = below.every((found) => found !== null && isCovered(allows, { found }));
  return isInside ? null : uncovered("it follows links, and they may lead where no Read rule covers it");
}

function doubtWrite(use: FileUse, places: Places, { rules, world }: Judging): Doubt | null {
  const allows = rules.allow.only("write");
  const isNamed = (path: string): boolean =>
    allows
      .about({ paths: [path] })
      .some(
        ({ matcher }) => matcher.kind === "path" && matcher.glob.isLiteral && matcher.glob.matches(path, "exactly"),
      );
  for (const path of places.found) {
    const why = isNamed(path) ? null : whyProtected(path, world, "it");
    if (why !== null) return { code: "permission.protected-path", text: why };
  }
  if (use.guessed) return null;
  const isOpen = use.word.hasGlob && (use.needsRule || /(?:^|\/)\.[^/]*[*?[]/.test(use.word.text));
  if (use.recursive && isFreeAtWork(rules, world)) return null;
  if (!places.certain || isOpen) return uncovered("only the shell knows this file");
  if (isCovered(allows, places)) return null;
  const isOutside = places.found.some((path) => !isAtWork(path, world));
  if (isOutside) return uncovered("it is outside of the workspace, and no Write rule covers it");
  return use.needsRule || allows.has("write") ? uncovered("no Write rule covers it") : null;
}

/** Rules allow writing every file of the workspace, and a sandbox protects all others and the protected ones. */
function isFreeAtWork({ deny, ask, allow }: RuleTables, { confinement, workspace, added = [] }: PathWorld): boolean {
  if (confinement === undefined || deny.has("write") || ask.has("write")) return false;
  const anywhere = [workspace, ...added].map((folder) => `${folder}/${UNKNOWN_TEXT}/${UNKNOWN_TEXT}`);
  return isCovered(allow.only("write"), { found: anywhere });
}

/** Every place that the path may mean has an allow rule. */
function isCovered(allows: RuleTable, { found }: Pick<Places, "found">): boolean {
  return found.every((path) =>
    allows
      .about({ paths: [path] })
      .some(
        ({ matcher }) => matcher.kind === "any" || (matcher.kind === "path" && matcher.glob.matches(path, "exactly")),
      ),
  );
}

function means({ matcher }: CompiledRule, word: ShellWord, found: readonly string[]): boolean {
  if (matcher.kind !== "path") return matcher.kind === "any";
  if (found.some((path) => matcher.glob.matches(path, "broadly"))) return true;
  // A pattern in the command may expand to the very file that the rule names.
  const last = baseName(matcher.glob.text);
  return (
    word.hasGlob &&
    last !== "" &&
    !/[*?[]/.test(last) &&
    matchesName(baseName(word.text), last) &&
    !/^[*?]/.test(baseName(word.text))
  );
}

/** A deny pattern whose last name is itself a pattern can match anything. */
function isOpenEnded({ family, matcher }: CompiledRule): boolean {
  return family === "read" && matcher.kind === "path" && /[*?[]/.test(baseName(matcher.glob.text));
}

interface Places {
  readonly found: readonly string[];
  readonly certain: boolean;
}

export function resolveWord(word: ShellWord, world: PathWorld, { known, complete }: Folders): Places {
  const text = word.hasTilde ? withoutTilde(word.text, world) : word.text;
  if (text === null) return { found: [`/${UNKNOWN_TEXT}`], certain: false };
  const bases = text.startsWith("/") ? ["/"] : known;
  // No link leads to what the sandbox does not show.
  const isOpen = word.hasGlob && world.confinement === undefined;
  const places = bases.flatMap((base) => [
    placesOf(text, base, world),
    ...(isOpen ? [placesOfPattern(text, base, world)] : []),
  ]);
  const found = [...new Set(places.flatMap((place) => place ?? []))];
  const certain = !text.includes(UNKNOWN_TEXT) && !places.includes(null) && (complete || text.startsWith("/"));
  return { found, certain };
}

/** Only the user's own home is known. */
function withoutTilde(text: string, { home, cwd }: PathWorld): string | null {
  const [, who = "", rest = ""] = /^~([^/]*)(.*)$/s.exec(text) ?? [];
  if (who === "") return home + rest;
  return who === "+" ? cwd + rest : null;
}

/** Follows `cd` through a line: each one adds a folder in which later commands may run. */
export function foldersFor(commands: readonly ShellCommand[], world: PathWorld, repeats: boolean): readonly Folders[] {
  let known: readonly string[] = [world.cwd];
  let complete = true;
  const moves = commands.some(({ words }) => MOVES.has(words[0]?.text ?? ""));
  if (moves && repeats) complete = false;
  let here: Folders = { known, complete };
  return commands.map(({ words }) => {
    const before = here;
    const [name] = words;
    if (name === undefined || !complete || !MOVES.has(name.text)) return before;
    const target = words.slice(1).find(({ text }) => !/^-[LPe@]+$/.test(text) && text !== "--");
    const next = name.text === "popd" || target?.text === "-" ? null : folderOf(target, world, known);
    if (next === null || known.length + next.length > MAX_FOLDERS) complete = false;
    else known = [...new Set([...known, ...next])];
    here = { known, complete };
    return before;
  });
}

const MOVES = new Set(["cd", "pushd", "popd"]);
const MAX_FOLDERS = 32;

function folderOf(target: ShellWord | undefined, world: PathWorld, known: readonly string[]): readonly string[] | null {
  if (target === undefined) return [world.home];
  if (!target.isStatic) return null;
  const { found, certain } = resolveWord(target, world, { known, complete: true });
  return certain ? found : null;
}
