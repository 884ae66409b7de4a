import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { type Origin, sourced } from "../../../core/codes/origin.ts";
import { parseRule } from "../../../core/rules/rule.ts";
import { openGrants } from "../../../runtime/permissions/grant-store.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";
import { answerHook } from "./answer-hook.ts";

interface Case {
  readonly id: string;
  readonly command: string;
  readonly rules: Readonly<Record<"allow" | "ask" | "deny", readonly string[]>>;
  readonly context?: { readonly symlinks?: object; readonly sandbox?: boolean };
  readonly expect: Decision;
  readonly accept: readonly Decision[];
}
type Decision = "allow" | "ask" | "deny";

const FILES = ["shell-cases", "shell-cases-2", "shell-cases-3"];
const CLIENTS = Object.keys(HOOK_CLIENTS) as HookClientName[]; // Keys of the table.

/** Those that `eval rules` judges without a sandbox and without links. */
function casesOf(file: string): readonly Case[] {
  const text = readFileSync(new URL(`../../../../test/fixtures/security/${file}.jsonl`, import.meta.url), "utf8");
  const lines = text.split("\n").filter((line) => line !== "");
  const all = lines.map((line) => JSON.parse(line) as Case); // Our own files.
  return all.filter(({ context = {} }) => context.symlinks === undefined && context.sandbox !== true);
}

const machine = createWorkspace();
const config = await machine.load();
const grants = await openGrants({ home: machine.home, env: {}, workspace: machine.cwd });
const place = { cwd: machine.cwd, env: { HOME: machine.home } };
/** The place of the cases is this one. */
const here = (text: string) => text.replaceAll("/home/dev/project", machine.cwd).replaceAll("/home/dev", machine.home);

/** How each client says that it is about to run a command. */
const EVENTS = {
  claude: (command: string, tool: string) => ({
    ...{ hook_event_name: "PreToolUse", session_id: "s", cwd: machine.cwd },
    ...{ tool_name: tool, tool_input: { command } },
  }),
  copilot: (command: string) => ({ sessionId: "s", cwd: machine.cwd, toolName: "bash", toolArgs: { command } }),
  opencode: (command: string) => ({ sessionID: "s", directory: machine.cwd, tool: "bash", args: { command } }),
  cursor: (command: string) => ({
    hook_event_name: "beforeShellExecution",
    workspace_roots: [machine.cwd],
    cwd: machine.cwd,
    command,
  }),
  windsurf: (command: string) => ({
    agent_action_name: "pre_run_command",
    tool_info: { cwd: machine.cwd, command_line: command },
  }),
  cline: (command: string) => ({
    ...{ hookName: "PreToolUse", taskId: "s", workspaceRoots: [machine.cwd] },
    preToolUse: { toolName: "execute_command", parameters: { command } },
  }),
} as const;

/** What of an answer is a decision, as each client finds it; nothing is `pass`. */
const DECISION = /"(?:permissionDecision|decision|permission|answer)":"(\w+)"|"cancel":(true)/;

function decisionOf({ out, status }: { readonly out: string; readonly status: number }): Decision | "pass" {
  if (status === 2) return "deny";
  const [, word, isCancelled] = DECISION.exec(out) ?? [];
  return isCancelled === undefined ? ((word ?? "pass") as Decision | "pass") : "deny"; // The words of answers.
}

async function ask(client: HookClientName, { id, command, rules }: Case) {
  const origin: Origin = { kind: "world", file: "cases", path: id };
  const toRules = (texts: readonly string[]) => texts.map((text) => sourced(parseRule(here(text), origin), origin));
  const lists = { deny: toRules(rules.deny), ask: toRules(rules.ask), allow: toRules(rules.allow) };
  const { event } = HOOK_CLIENTS[client];
  const shell = client === "gemini-cli" || client === "qwen-code" ? "run_shell_command" : "Bash";
  const policy = { config: { ...config, permissions: { ...config.permissions, ...lists } }, workspace: machine.cwd };
  return answerHook(
    place,
    { client, event: JSON.stringify(EVENTS[event](here(command), shell)) },
    {
      load: async () => policy,
      grants: { of: async () => grants },
      logs: { write: async () => {} },
    },
  );
}

/** What a hook may answer where the rules decide so: nothing leaves it to the client, as if there were no hook. */
function fitting(client: HookClientName, decision: Decision): readonly string[] {
  if (decision === "deny") return ["deny"];
  // A client that cannot ask for a hook is told no.
  if (decision === "ask") return [HOOK_CLIENTS[client].asks ? "ask" : "deny", "pass"];
  return ["allow", "pass"];
}

/** What is typed into a program that runs reaches no hook of Codex. */
const UNSEEN = "starts a shell or an interpreter without a script";

test.each(CLIENTS.flatMap((client) => FILES.map((file) => [client, file] as const)))(
  "%s: every line of %s is answered as its rules decide",
  async (client, file) => {
    const wrong: string[] = [];
    for (const one of casesOf(file)) {
      const answer = await ask(client, one);
      const given = decisionOf(answer);
      if (client === "codex" && given === "deny" && answer.out.includes(UNSEEN)) continue;
      if (![one.expect, ...one.accept].flatMap((word) => fitting(client, word)).includes(given))
        wrong.push(`${one.id}: ${given}, not ${one.expect}`);
    }
    expect(wrong).toEqual([]);
  },
);

test.each(CLIENTS)("%s: nothing is said about a line that no rule is about", async (client) => {
  const answer = await ask(client, { ...NO_RULE, rules: { allow: [], ask: [], deny: ["Bash(rm:*)"] } });
  expect(answer).toEqual({ out: "", err: "", status: 0 });
});

const NO_RULE: Case = {
  ...{ id: "none", command: "make all && ./run --fast | tee log", expect: "allow", accept: [] },
  rules: { allow: [], ask: [], deny: [] },
};
