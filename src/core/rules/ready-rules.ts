import { defaultOrigin, type Sourced } from "../codes/origin.ts";
import { type CompiledRule, compileRules } from "./compile-rules.ts";
import type { PathWorld } from "./paths.ts";
import { parseRule, type Rule } from "./rule.ts";

/** Commands that only read, as long as their options are harmless and their files are in the workspace (X2). */
const READ_ONLY = [
  ..."cat head tail ls pwd echo printf true false test [ wc grep egrep fgrep rg sort uniq cut tr diff cmp comm stat file du df tree find which type whoami uname id basename dirname realpath readlink md5sum sha1sum sha256sum nl tac rev jq cd date sed".split(
    " ",
  ),
  ..."status log diff show rev-parse ls-files ls-tree blame describe shortlog cat-file merge-base name-rev grep"
    .split(" ")
    .map((sub) => `git ${sub}`),
];
const EXACT = [
  "git branch",
  "git branch --show-current",
  "git branch -a",
  "git branch -v",
  "git remote",
  "git remote -v",
  "git stash list",
  "git tag",
  "node --version",
  "npm --version",
  "hostname",
];

/** What a person who accepts edits has accepted (X2). */
const EDITS = ["mkdir", "touch", "cp", "mv", "rmdir", "tee"];

/** The rules that stand behind "reading needs no question". */
export function readOnlyRules(world: PathWorld): readonly CompiledRule[] {
  const commands = [...READ_ONLY.map((command) => `Bash(${command}:*)`), ...EXACT.map((command) => `Bash(${command})`)];
  const folders = workFolders(world).flatMap((folder) => [`Read(/${folder}/**)`, `Read(/${folder})`]);
  return compile([...commands, ...folders], world);
}

/** The rules that accept-edits mode stands for. */
export function editRules(world: PathWorld): readonly CompiledRule[] {
  const folders = workFolders(world).map((folder) => `Write(/${folder}/**)`);
  return compile([...EDITS.map((command) => `Bash(${command}:*)`), ...folders], world);
}

/** The rules that `permissions.sandboxed: allow` stands for. */
export function sandboxRules(world: PathWorld): readonly CompiledRule[] {
  return compile(["Bash", "Read", "Write"], world);
}

/** A folder whose name reads as a pattern would mean others too, so it is left out. */
function workFolders({ workspace, added = [] }: PathWorld): readonly string[] {
  return [workspace, ...added.filter((folder) => !/[*?[\](){}\\]/.test(folder))];
}

/** The same few worlds are asked about at every call, so what was compiled last is kept. */
const kept = new Map<string, readonly CompiledRule[]>();
const MAX_KEPT = 16;

function compile(texts: readonly string[], world: PathWorld): readonly CompiledRule[] {
  const key = JSON.stringify([texts[0], world.cwd, world.home, world.workspace, world.added]);
  const known = kept.get(key);
  if (known !== undefined) return known;
  if (kept.size >= MAX_KEPT) kept.clear();
  const rules = compileNew(texts, world);
  kept.set(key, rules);
  return rules;
}

function compileNew(texts: readonly string[], world: PathWorld): readonly CompiledRule[] {
  const allow = texts.map((text): Sourced<Rule> => ({ value: parseRule(text, defaultOrigin), origin: defaultOrigin }));
  return compileRules({ deny: [], ask: [], allow }, world).allow;
}
