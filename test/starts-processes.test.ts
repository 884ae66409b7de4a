import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

/** Who starts something there, why that may be, and what of the workspace decides what it is. */
interface Start {
  readonly owner: string;
  /** What has to be trusted or allowed before. */
  readonly trust: string;
  /** Which files of the workspace could change what runs, and what keeps them. */
  readonly kept: string;
  /** For what the configuration starts outside the sandbox: who describes it for the one list of such programs. */
  readonly program?: string;
}

const OWN = { trust: "none: code of this package", kept: "none: nothing of the workspace is run" };
const HOST = { trust: "its entry, and its files as they were trusted, at every start", kept: "host programs" };
const SANDBOXED = { trust: "rules, and the sandbox where there is one", kept: "it runs where the agent may write" };
const ON_PATH = { trust: "the person's PATH", kept: "host programs: folders of PATH" };
const PERSON = { trust: "a person typed it", kept: "none: it is that person's command" };

/** Every place that starts a process or thread, or loads code by name. A new one needs a row, and somebody who thought about it. */
const STARTS: Readonly<Record<string, Start>> = {
  "system/process/spawn-process.ts": { owner: "the room itself", ...OWN },
  "system/process/watcher.ts": { owner: "the watcher that ends what is left", ...OWN },
  "system/process/reap-on-exit.ts": { owner: "the same, at the very end", ...OWN },
  "system/process/run-git.ts": {
    owner: "git, without hooks, filters of the workspace and watchers",
    trust: ON_PATH.trust,
    kept: "settings of git that name programs: git guards of the sandbox",
  },
  "system/sandbox/detect-sandbox.ts": { owner: "bubblewrap, tried once", ...ON_PATH },
  "system/sandbox/runtime-backend.ts": { owner: "the other sandbox, tried once", ...OWN },
  "runtime/hooks/command-hook.ts": { owner: "hooks", ...HOST, program: "hookProgram" },
  "sources/mcp/server-parts.ts": { owner: "MCP servers", ...HOST, program: "serverProgram" },
  "sources/extension/extension-source.ts": { owner: "extensions", ...HOST, program: "extensionProgram" },
  "runtime/session/conversation/acp-run.ts": { owner: "agents of other programs", ...HOST, program: "acpProgram" },
  "sources/module/load-module-tool.ts": { owner: "modules with tools", ...HOST, program: "moduleProgram" },
  "sources/skill/run-command.ts": {
    owner: "tools of skills, in the sandbox where there is one",
    trust: "the skill's folder as it was trusted, at every call",
    kept: "host programs: skill folders",
  },
  "sources/builtin/shell/running-command.ts": { owner: "commands of the shell tools", ...SANDBOXED },
  "sources/builtin/shell/validate.ts": { owner: "checks", ...SANDBOXED },
  "sources/builtin/search/ripgrep-filter.ts": { owner: "ripgrep, in the sandbox where there is one", ...ON_PATH },
  "sources/code/threads.ts": { owner: "threads of run_code", ...OWN },
  "sources/code/worker/main.ts": { owner: "the same from inside", ...OWN },
  "runtime/session/stored/session-database.ts": { owner: "the session's database", ...OWN },
  "runtime/store/sqlite/query-program.ts": { owner: "the same from inside", ...OWN },
  "runtime/agents/worktree.ts": { owner: "git for worktrees of subagents", ...ON_PATH },
  "surfaces/cli/plugins/fetch-repository.ts": { owner: "git for a repository that a person names", ...PERSON },
  "surfaces/cli/servers/open-browser.ts": { owner: "the person's browser", ...ON_PATH },
  "surfaces/cli/running/start-detached.ts": { owner: "toolcrib itself in the background", ...OWN },
  "surfaces/cli/guard/codex-trust.ts": { owner: "codex, which is asked to trust a hook", ...ON_PATH },
  "surfaces/cli/guard/guard-report.ts": { owner: "clients of this person, asked for their version", ...ON_PATH },
  "surfaces/cli/guard/run-probe.ts": {
    owner: "the hook of a client, as the client starts it",
    trust: "only text that `guard install` writes; another one is reported and not run",
    kept: "none: it names programs by whole paths outside the workspace",
  },
  "surfaces/cli/guard/kept-code.ts": {
    owner: "files of this package, with what V8 has compiled of them",
    trust: "none: code of this package, and what it kept in the person's state folder, for this very file and Node",
    kept: "protected paths: the state folder",
  },
  "surfaces/guard/opencode-plugin.ts": {
    owner: "the same hook, from inside opencode",
    trust: "the line that `guard install` wrote into that file",
    kept: "protected paths: clients' own files",
  },
  "surfaces/copilot/methods/workspace.ts": {
    owner: "commands of the client's user, and git to show changes",
    ...PERSON,
  },
};

const STARTING = [
  /from "node:(?:child_process|worker_threads|cluster)"/,
  /getBuiltinModule\("node:(?:child_process|worker_threads)"\)/,
  /^import \{(?:[^}]*[ ,])?(?<!type )(?:spawnProcess|runGit)\b[^}]*\} from/m,
  /\bimport\((?!["'`])/,
  /\bcreateRequire\([^)]*\)\((?!["'`])/,
];

test("every place that starts a process has an owner, a rule of trust and something that keeps its files", () => {
  const found = sourceFiles().filter((path) => STARTING.some((pattern) => pattern.test(textOf(path))));
  expect(found.sort()).toEqual(Object.keys(STARTS).sort());
});

test("what the configuration starts is in the one list, and is asked about before it starts", () => {
  const list = textOf("config/trust/host-programs.ts");
  const all = sourceFiles().map(textOf).join("\n");
  const programs = Object.values(STARTS).flatMap(({ program }) => program ?? []);
  const [, described = ""] = /export function findHostPrograms([\s\S]*?)\n\}/.exec(list) ?? [];
  for (const program of programs) {
    expect(described).toContain(`${program}(`);
    expect(all, program).toMatch(new RegExp(`${program}\\([\\s\\S]{0,2000}\\.refuses\\(|\\.refuses\\(${program}\\(`));
  }
  const made = [...list.matchAll(/^export function (\w+Program)\(/gm)].map(([, name]) => name);
  expect(made.sort()).toEqual([...programs].sort());
});

function sourceFiles(): string[] {
  const entries = readdirSync(SRC, { recursive: true, encoding: "utf8" });
  return entries.filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"));
}

function textOf(path: string): string {
  return readFileSync(join(SRC, path), "utf8");
}
