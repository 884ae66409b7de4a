import { defaultOrigin, type Sourced } from "../codes/origin.ts";
import { type CompiledRule, compileRules } from "./compile-rules.ts";
import type { PathWorld } from "./paths.ts";
import { parseRule, type Rule } from "./rule.ts";

/** Commands that accept-edits mode accepts (X2). */
const EDITS = ["mkdir", "touch", "cp", "mv", "rmdir", "tee"];

/** Commands whose every option and operand is known and harmless; other rules judge which files they read (X2). */
const READING = readingRule(false);
/** In a sandbox nothing outside can be written, so rules about writing judge what they write. */
const WORKING = readingRule(true);

function readingRule(mayWrite: boolean): CompiledRule {
  const matcher = { kind: "command", pattern: { kind: "reading", mayWrite } } as const;
  return { text: "Bash", origin: defaultOrigin, tool: "Bash", family: "shell", matcher };
}

/** The rules of "reading needs no question". */
export function readOnlyRules(world: PathWorld): readonly CompiledRule[] {
  const folders = workFolders(world).flatMap((folder) => [`Read(/${folder}/**)`, `Read(/${folder})`]);
  return compile(folders, world, world.confinement === undefined ? READING : WORKING);
}

/** The rules of accept-edits mode. */
export function editRules(world: PathWorld): readonly CompiledRule[] {
  const folders = workFolders(world).map((folder) => `Write(/${folder}/**)`);
  return compile([...EDITS.map((command) => `Bash(${command}:*)`), ...folders], world);
}

/** The rules of `permissions.sandboxed: allow`. */
export function sandboxRules(world: PathWorld): readonly CompiledRule[] {
  return compile(["Bash", "Read", "Write"], world);
}

/** A folder whose name looks like a pattern would match others too, so it is left out. */
function workFolders({ workspace, added = [] }: PathWorld): readonly string[] {
  return [workspace, ...added.filter((folder) => !/[*?[\](){}\\]/.test(folder))];
}

/** The same few worlds recur at every call, so compiled rules are cached. */
const cached = new Map<string, readonly CompiledRule[]>();
const MAX_CACHED = 16;

function compile(texts: readonly string[], world: PathWorld, ready?: CompiledRule): readonly CompiledRule[] {
  const key = JSON.stringify([texts[0], ready === WORKING, world.cwd, world.home, world.workspace, world.added]);
  const known = cached.get(key);
  if (known !== undefined) return known;
  if (cached.size >= MAX_CACHED) cached.clear();
  const rules = [...(ready === undefined ? [] : [ready]), ...compileNew(texts, world)];
  cached.set(key, rules);
  return rules;
}

function compileNew(texts: readonly string[], world: PathWorld): readonly CompiledRule[] {
  const allow = texts.map((text): Sourced<Rule> => ({ value: parseRule(text, defaultOrigin), origin: defaultOrigin }));
  return compileRules({ deny: [], ask: [], allow }, world).allow;
}
