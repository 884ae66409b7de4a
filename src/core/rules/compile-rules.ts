import type { RE2JS } from "re2js";
import { formatOrigin, type Origin, type Sourced, unfoldHome } from "../codes/origin.ts";
import { ToolcribError } from "../codes/toolcrib-error.ts";
import { expandAlternatives, MAX_ALTERNATIVES } from "./glob-match.ts";
import { namedAgents, STARTS_AGENTS, spellingsOf } from "./named-agents.ts";
import { type PathGlob, toPathGlob } from "./path-glob.ts";
import { normalize, type PathWorld, throughAliases } from "./paths.ts";
import type { Rule } from "./rule.ts";
import { type CommandPattern, toCommandPattern } from "./shell/command-pattern.ts";
import { toUrlPattern, type UrlPattern } from "./url-pattern.ts";

/** The three lists of permission rules, as configuration gives them. */
export interface RuleLists {
  readonly deny: readonly Sourced<Rule>[];
  readonly ask: readonly Sourced<Rule>[];
  readonly allow: readonly Sourced<Rule>[];
}

export type Family = "shell" | "read" | "write" | "url" | "other";

/** A rule compiled for matching against calls. */
export interface CompiledRule {
  readonly text: string;
  readonly origin: Origin;
  /** Any identifier of the one resolver; the caller knows which tools it means. */
  readonly tool: string;
  readonly family: Family;
  readonly matcher: Matcher;
}

type Matcher =
  | { readonly kind: "any" }
  | { readonly kind: "command"; readonly pattern: CommandPattern }
  | { readonly kind: "path"; readonly glob: PathGlob }
  | { readonly kind: "url"; readonly pattern: UrlPattern }
  | { readonly kind: "parameter"; readonly name: string; readonly values: readonly string[] }
  | { readonly kind: "pattern"; readonly pattern: RE2JS };

export interface CompiledRules {
  readonly deny: readonly CompiledRule[];
  readonly ask: readonly CompiledRule[];
  readonly allow: readonly CompiledRule[];
}

/** Names for what a tool does, from Claude Code, Copilot and our own tools. */
const FAMILIES: ReadonlyMap<string, Family> = new Map([
  ...names("shell", "Bash bash shell execute runInTerminal"),
  ...names("read", "Read read view readFile NotebookRead LS Grep Glob grep glob"),
  ...names(
    "write",
    "Write Edit MultiEdit NotebookEdit write edit create createFile editFiles apply_patch str_replace_based_edit_tool",
  ),
  ...names("url", "WebFetch url web_fetch fetch"),
]);

function names(family: Family, text: string): readonly (readonly [string, Family])[] {
  return text.split(" ").map((name) => [name, family] as const);
}

function familyOf(tool: string): Family {
  return FAMILIES.get(tool) ?? "other";
}

/** `/x/` between the parentheses, if it is not a path. */
const PATTERN = /^\/(.+)\/$/s;
let engine: typeof RE2JS | null = null;

/**
 * Regular expressions of rules run in linear time. The engine is large and most rules need none, so it is loaded on
 * demand: await this before compiling rules from outside. Null if nothing needs loading.
 */
export function loadPatterns({ deny, ask, allow }: RuleLists): Promise<void> | null {
  const isNeeded = [deny, ask, allow].some((list) => list.some(({ value }) => PATTERN.test(value.specifier ?? "")));
  return isNeeded && engine === null ? loadEngine() : null;
}

async function loadEngine(): Promise<void> {
  engine = (await import("re2js")).RE2JS;
}

type RuleWorld = Pick<PathWorld, "cwd" | "home" | "workspace" | "aliases">;

export function compileRules(lists: RuleLists, world: RuleWorld): CompiledRules {
  const compile = (list: keyof RuleLists) =>
    lists[list].flatMap((rule) => placesOf(rule, world).map((origin) => compileRule({ ...rule, origin }, list, world)));
  return { deny: compile("deny"), ask: compile("ask"), allow: compile("allow") };
}

/** The origins a rule is anchored at: `/x` in two files means two folders, though the text is the same. */
function placesOf({ value, origin, also = [] }: Sourced<Rule>, world: RuleWorld): readonly Origin[] {
  if (also.length === 0 || value.specifier?.includes("/") !== true) return [origin];
  return [
    ...new Map([origin, ...also].reverse().map((place) => [settingsFolder(place, world), place])).values(),
  ].reverse();
}

function compileRule({ value, origin }: Sourced<Rule>, list: keyof RuleLists, world: RuleWorld): CompiledRule {
  const { text, tool, specifier } = value;
  const family = familyOf(tool);
  return { text, origin, tool, family, matcher: toMatcher(specifier, value, family, { list, origin, world }) };
}

interface Place {
  readonly list: keyof RuleLists;
  readonly origin: Origin;
  readonly world: RuleWorld;
}

function toMatcher(specifier: string | null, rule: Rule, family: Family, { list, origin, world }: Place): Matcher {
  if (specifier === null) return { kind: "any" };
  const [, pattern] = family === "read" || family === "write" ? [] : (PATTERN.exec(specifier) ?? []);
  if (pattern !== undefined) return { kind: "pattern", pattern: toPattern(pattern, rule, origin) };
  switch (family) {
    case "shell": {
      const command = toCommandPattern(specifier);
      // Copilot's `shell(rm)` means every `rm`. As an allow rule only the exact command is certainly meant.
      const isBroad = rule.tool === "shell" && command.kind === "exact" && list !== "allow";
      return { kind: "command", pattern: isBroad ? { kind: "prefix", words: command.words } : command };
    }
    case "read":
    case "write":
      if (expandAlternatives(specifier).length > MAX_ALTERNATIVES)
        throw invalid(rule, origin, `has more than ${MAX_ALTERNATIVES} alternatives; write several rules`);
      return {
        kind: "path",
        glob: toPathGlob(specifier, { ...world, settings: settingsFolder(origin, world) }),
      };
    case "url":
      return { kind: "url", pattern: toUrlPattern(specifier) };
    case "other": {
      const [, name, value] = /^([\w-]+):(.*)$/s.exec(specifier) ?? [];
      return name === undefined || value === undefined
        ? { kind: "parameter", name: "*", values: valuesOf(specifier, rule.tool) }
        : { kind: "parameter", name, values: valuesOf(value, rule.tool) };
    }
  }
}

/** `Agent(lint, Explore)` means each of them, and our agent of that kind as well. */
function valuesOf(value: string, tool: string): readonly string[] {
  return STARTS_AGENTS.has(tool) ? [value, ...namedAgents(value).flatMap(spellingsOf)] : [value];
}

function toPattern(pattern: string, rule: Rule, origin: Origin): RE2JS {
  if (engine === null) throw invalid(rule, origin, "was added just now; make the call again");
  try {
    return engine.compile(pattern, engine.DOTALL);
  } catch {
    throw invalid(rule, origin, "cannot be read; look-around and back-references are not supported");
  }
}

function invalid({ text }: Rule, origin: Origin, why: string): ToolcribError {
  const shown = `${formatOrigin(origin)}: the pattern of the rule ${JSON.stringify(text.slice(0, 80))}`;
  return new ToolcribError("rule.invalid", `${shown} ${why}`, { names: [text], origin });
}

/** `/x` in a rule starts at its file's folder, or at the project if that is a settings folder. */
function settingsFolder(origin: Origin, { workspace, home, aliases }: RuleWorld): string {
  const file = origin.kind === "file" ? unfoldHome(origin.file, home) : "";
  if (!file.startsWith("/")) return workspace;
  const folder = throughAliases(normalize(`${file}/..`), aliases);
  return folder.endsWith("/.claude") ? normalize(`${folder}/..`) : folder;
}
