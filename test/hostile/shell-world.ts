import { defaultOrigin, sourced } from "../../src/core/codes/origin.ts";
import { compileRules, loadPatterns } from "../../src/core/rules/compile-rules.ts";
import { decide, type PermissionMode, type Subject } from "../../src/core/rules/decide.ts";
import { fromSymlinks } from "../../src/core/rules/paths.ts";
import { parseRule } from "../../src/core/rules/rule.ts";
import { createShellReader } from "../../src/system/shell/read-command-line.ts";

const WORKSPACE = "/home/dev/project";
const WORLD = {
  cwd: WORKSPACE,
  workspace: WORKSPACE,
  home: "/home/dev",
  readLink: fromSymlinks([["passwords", "/etc/passwd"]], WORKSPACE),
};

export interface Lists {
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly allow?: readonly string[];
}

const pattern = sourced(parseRule("Bash(/x/)", defaultOrigin), defaultOrigin);
await loadPatterns({ deny: [pattern], ask: [], allow: [] });

const compiled = new WeakMap<Lists, ReturnType<typeof compileRules>>();

function rulesOf(lists: Lists): ReturnType<typeof compileRules> {
  const toRules = (texts: readonly string[] = []) =>
    texts.map((text) => sourced(parseRule(text, defaultOrigin), defaultOrigin));
  let rules = compiled.get(lists);
  if (rules === undefined) {
    rules = compileRules({ deny: toRules(lists.deny), ask: toRules(lists.ask), allow: toRules(lists.allow) }, WORLD);
    compiled.set(lists, rules);
  }
  return rules;
}

/** How a session decides about a subject under these rules, with what only reads allowed, as sessions have it. */
export function decideSubject(subject: Subject, lists: Lists, mode: PermissionMode = "default", args: object = {}) {
  const rules = rulesOf(lists);
  const call = { toolName: "t", isMeantBy: (name: string) => name === "t", subject, arguments: args, readOnly: false };
  return decide(call, rules, { ...WORLD, mode, allowReadOnly: true });
}

const { read } = await createShellReader();

export function readShell(command: string): Subject {
  return { kind: "shell", line: read(command) };
}

export function decideCommand(command: string, lists: Lists, mode: PermissionMode = "default") {
  return decideSubject(readShell(command), lists, mode);
}
