import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { runCli } from "../../../../test/support/run-cli.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";
import { writeNote } from "../running/running-note.ts";

const RULES = `permissions:
  deny: ["Bash(rm:*)", "Edit(secret.txt)", "Write(secret.txt)", "Read(.env)", "WebFetch(domain:evil.example)", "github/delete_*", "task(explore)"]
  ask: ["Bash(git push:*)"]
  allow: ["Bash(npm test:*)"]
`;

type Event = (cwd: string) => object;
type Name = "bash" | "create" | "edit" | "view" | "web" | "served" | "agent";

/** A client's event for each kind of call, in the shape that the client writes. */
const claude =
  (tool: string, input: object, more: object = {}): Event =>
  (cwd) => ({
    ...{
      session_id: "s1",
      transcript_path: "/t.jsonl",
      cwd,
      permission_mode: "default",
      hook_event_name: "PreToolUse",
    },
    ...{ tool_name: tool, tool_input: input, tool_use_id: "toolu_2", ...more },
  });
const gemini =
  (tool: string, input: object, more: object = {}): Event =>
  (cwd) => ({
    session_id: "s1",
    cwd,
    hook_event_name: "BeforeTool",
    timestamp: "2026-11-18T10:00:00Z",
    tool_name: tool,
    tool_input: input,
    ...more,
  });
const copilot =
  (toolName: string, toolArgs: object): Event =>
  (cwd) => ({ sessionId: "s1", timestamp: 1_794_978_360_421, cwd, toolName, toolArgs });
const opencode =
  (tool: string, args: object): Event =>
  (directory) => ({ sessionID: "s1", callID: "c1", directory, tool, args });
const cursor =
  (name: string, fields: object): Event =>
  (root) => ({ conversation_id: "s1", generation_id: "g1", hook_event_name: name, workspace_roots: [root], ...fields });
const windsurf =
  (action: string, info: object): Event =>
  (cwd) => ({ agent_action_name: action, trajectory_id: "s1", execution_id: "e1", tool_info: { cwd, ...info } });
const cline =
  (toolName: string, parameters: object): Event =>
  (root) => ({ hookName: "PreToolUse", taskId: "s1", workspaceRoots: [root], preToolUse: { toolName, parameters } });

const COMMAND = "touch a && rm -rf b";
const DELETE = { server: "github", name: "delete_repo" };

const DENIED: Readonly<Record<HookClientName, Partial<Record<Name, Event>>>> = {
  "claude-code": {
    bash: claude("Bash", { command: COMMAND, description: "t" }),
    create: claude("Write", { file_path: "secret.txt", content: "x" }),
    edit: claude("Edit", { file_path: "secret.txt", old_string: "a", new_string: "b", replace_all: false }),
    view: claude("Read", { file_path: ".env" }, { agent_id: "a3", agent_type: "general-purpose" }),
    web: claude("WebFetch", { url: "https://evil.example/x", prompt: "p" }),
    served: claude("mcp__github__delete_repo", { repo: "a" }),
    agent: claude("Agent", { description: "d", prompt: "p", subagent_type: "explore" }),
  },
  codex: {
    bash: claude("Bash", { command: COMMAND }, { turn_id: "t", model: "m" }),
    edit: claude("apply_patch", { input: "*** Begin Patch\n*** Update File: secret.txt\n-a\n+b\n*** End Patch" }),
    served: claude("mcp__github__delete_repo", {}),
  },
  "gemini-cli": {
    bash: gemini("run_shell_command", { command: COMMAND, is_background: false }),
    create: gemini("write_file", { file_path: "secret.txt", content: "x" }),
    edit: gemini("replace", { file_path: "secret.txt", old_string: "a", new_string: "b" }),
    view: gemini("read_file", { file_path: ".env" }),
    web: gemini("web_fetch", { prompt: "compare https://good.example/ with https://evil.example/x please" }),
    served: gemini("mcp_github_delete_repo", {}, { mcp_context: { server_name: "github", tool_name: "delete_repo" } }),
    agent: gemini("invoke_agent", { agent_name: "explore", prompt: "p" }),
  },
  "copilot-cli": {
    bash: copilot("bash", { command: COMMAND, description: "t" }),
    create: copilot("create", { path: "secret.txt", file_text: "one\n" }),
    edit: copilot("edit", { path: "secret.txt", old_str: "a", new_str: "b" }),
    view: copilot("view", { path: ".env" }),
    web: copilot("web_fetch", { url: "https://evil.example/x" }),
    served: copilot("github-delete_repo", {}),
    agent: copilot("task", { name: "n", description: "d", prompt: "p", agent_type: "explore", mode: "sync" }),
  },
  "qwen-code": {
    bash: claude("run_shell_command", { command: COMMAND }, { timestamp: "2026-11-18T10:00:00Z" }),
    create: claude("write_file", { file_path: "secret.txt", content: "x" }),
    edit: claude("edit", { file_path: "secret.txt", old_string: "a", new_string: "b" }),
    view: claude("read_file", { file_path: ".env" }),
    web: claude("web_fetch", { url: "https://evil.example/x", prompt: "p" }),
    served: claude("mcp__github__delete_repo", {}),
    agent: claude("agent", { description: "d", prompt: "p", subagent_type: "explore" }),
  },
  opencode: {
    bash: opencode("bash", { command: COMMAND, description: "d" }),
    create: opencode("write", { filePath: "secret.txt", content: "x" }),
    edit: opencode("edit", { filePath: "secret.txt", oldString: "a", newString: "b" }),
    view: opencode("read", { filePath: ".env" }),
    web: opencode("webfetch", { url: "https://evil.example/x", format: "text" }),
    served: opencode("github_delete_repo", {}),
    agent: opencode("task", { description: "d", prompt: "p", subagent_type: "explore" }),
  },
  cursor: {
    bash: cursor("beforeShellExecution", { command: COMMAND, cwd: "" }),
    create: cursor("preToolUse", { tool_name: "Write", tool_input: { file_path: "secret.txt" } }),
    view: cursor("beforeReadFile", { file_path: ".env", content: "A=1" }),
    served: cursor("beforeMCPExecution", { server: DELETE.server, tool_name: DELETE.name, tool_input: "{}" }),
  },
  windsurf: {
    bash: windsurf("pre_run_command", { command_line: COMMAND }),
    edit: windsurf("pre_write_code", { file_path: "secret.txt", edits: [] }),
    view: windsurf("pre_read_code", { file_path: ".env" }),
    served: windsurf("pre_mcp_tool_use", {
      mcp_server_name: DELETE.server,
      mcp_tool_name: DELETE.name,
      mcp_tool_arguments: {},
    }),
  },
  cline: {
    bash: cline("execute_command", { command: COMMAND }),
    create: cline("write_to_file", { path: "secret.txt", content: "x" }),
    edit: cline("replace_in_file", { path: "secret.txt", diff: "d" }),
    view: cline("read_file", { path: ".env" }),
    served: cline("use_mcp_tool", { server_name: DELETE.server, tool_name: DELETE.name, arguments: "{}" }),
  },
};

const CLIENTS = Object.keys(HOOK_CLIENTS) as HookClientName[]; // Keys of the table.
const CASES = CLIENTS.flatMap((client) =>
  Object.entries(DENIED[client]).map(([kind, event]) => ({ client, kind, event })),
);

const machine = createWorkspace({ user: RULES });

function ask(client: string, event: unknown, { cwd, home } = machine) {
  const stdin = typeof event === "string" ? event : JSON.stringify(event);
  return runCli(["hook", client], { cwd, env: { HOME: home }, stdin });
}

/** Whether a client takes an answer for a no, and the reason that it shows its model. */
function refusalOf(client: HookClientName, { status, out, err }: Awaited<ReturnType<typeof ask>>): string | null {
  if (status === 2) return err;
  const { hookSpecificOutput, ...plain } = out === "" ? {} : JSON.parse(out);
  const { permissionDecision, permissionDecisionReason } = hookSpecificOutput ?? plain;
  if (permissionDecision === "deny") return permissionDecisionReason;
  if (client === "gemini-cli") return plain.decision === "deny" ? plain.reason : null;
  if (client === "cursor") return plain.permission === "deny" ? plain.agent_message : null;
  if (client === "cline") return plain.cancel === true ? plain.errorMessage : null;
  return plain.answer === "deny" ? plain.reason : null;
}

describe("a call that a deny rule is about is refused with rule, file and line", () => {
  test.each(CASES)("$client: $kind", async ({ client, event }) => {
    const refusal = refusalOf(client, await ask(client, event(machine.cwd)));
    expect(refusal).toMatch(/^Toolcrib: .*config\.yaml:2\)\n?$/);
  });
});

describe("where no rule says anything, the client goes on as without us", () => {
  test.each(CLIENTS)("%s", async (client) => {
    const event = JSON.stringify(DENIED[client].bash?.(machine.cwd)).replace(COMMAND, "make all");
    expect(await ask(client, event)).toEqual({ status: 0, out: "", err: "" });
  });
});

describe("what needs a person", () => {
  const ASKED = "git -C . push";

  test.each(CLIENTS)("is asked by %s, or refused where it cannot ask", async (client) => {
    const event = JSON.stringify(DENIED[client].bash?.(machine.cwd)).replace(COMMAND, ASKED);
    const given = await ask(client, event);
    if (!HOOK_CLIENTS[client].asks) {
      expect(refusalOf(client, given)).toContain("needs a person");
      return;
    }
    expect(refusalOf(client, given)).toBeNull();
    expect(given.out).toMatch(/"(?:permissionDecision|permission)":"ask"/);
    expect(given.out).toContain("config.yaml:3");
  });
});

describe("what an allow rule covers", () => {
  test("is allowed where the client takes that word, and left alone elsewhere", async () => {
    const said = await Promise.all(
      CLIENTS.map(async (client) => {
        const event = JSON.stringify(DENIED[client].bash?.(machine.cwd)).replace(COMMAND, "npm test");
        return [client, (await ask(client, event)).out] as const;
      }),
    );
    const allowing = said.filter(([, out]) => /"(?:permissionDecision|permission|answer)":"allow"/.test(out));
    expect(allowing.map(([client]) => client)).toEqual(["claude-code", "copilot-cli", "opencode", "cursor"]);
    expect(said.filter((one) => !allowing.includes(one)).map(([, out]) => out)).toEqual(["", "", "", "", ""]);
  });
});

describe("what cannot be read or judged is refused", () => {
  test.each([
    ["no JSON", "rm -rf /"],
    ["a list", "[]"],
    ["an event without a name", { tool_name: "Bash", tool_input: { command: "ls" } }],
    ["a call without a tool", { hook_event_name: "PreToolUse", tool_input: {} }],
    ["arguments that are no object", { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: "ls" }],
    [
      "a command that is no text",
      { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: ["rm"] } },
    ],
    [
      "a folder that is not there",
      { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, cwd: "/nowhere" },
    ],
  ])("%s", async (_, event) => {
    const { status, out, err } = await ask("claude-code", event);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).not.toBe("");
  });

  test("a configuration with a mistake, named with file and line", async () => {
    const broken = createWorkspace({ user: "permissions:\n  denny: []\n" });
    const { status, out, err } = await ask("claude-code", DENIED["claude-code"].bash?.(broken.cwd), broken);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(err).toMatch(/config\.yaml:2: unknown key "denny"/);
  });

  test("an unknown client, with the names of those that are known", async () => {
    const { status, err } = await ask("claude", "{}");
    expect(status).toBe(2);
    expect(err).toContain("it is one of claude-code, codex,");
  });

  test("no input at all makes a client go on, unless it is told to", async () => {
    const events = fc.oneof(
      fc.string(),
      fc.json(),
      fc.dictionary(fc.string(), fc.jsonValue()).map((one) => JSON.stringify(one)),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...CLIENTS), events, async (client, event) => {
        const { status, out } = await ask(client, event);
        expect(out).toBe("");
        expect([0, 2]).toContain(status);
      }),
      { numRuns: 60 },
    );
  });
});

test("an event about something else than a call is none of its business", async () => {
  const event = { hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: { command: "rm x" } };
  expect(await ask("claude-code", event)).toEqual({ status: 0, out: "", err: "" });
});

describe("a name that could mean several servers", () => {
  test("is refused if one of its meanings is denied", async () => {
    const { out } = await ask("opencode", opencode("my_github_delete_repo", {})(machine.cwd));
    expect(out).toBe("");
    const split = createWorkspace({ user: 'permissions:\n  deny: ["a_b/delete"]\n' });
    const denied = await ask("opencode", opencode("a_b_delete", {})(split.cwd), split);
    expect(JSON.parse(denied.out)).toMatchObject({ answer: "deny" });
  });
});

describe("the log", () => {
  const BIN = fileURLToPath(new URL("../../../../bin/toolcrib.js", import.meta.url));
  const START = { command: process.execPath, args: [BIN, "connect"] };
  const listing = (servers: object) => JSON.stringify({ mcpServers: servers });
  const rowsAfter = async (files: Readonly<Record<string, string>>, tool: string, rules = RULES) => {
    const own = createWorkspace({ user: rules, ...files });
    const answer = await ask("claude-code", claude(tool, {})(own.cwd), own);
    return { answer, rows: await logged(own) };
  };
  const logged = async (own: typeof machine) => {
    const { out } = await runCli(["audit", "--json"], { cwd: own.cwd, env: { HOME: own.home } });
    const rows = out.trim().split("\n");
    return rows
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === "call.judged");
  };

  test("holds each call once, with the client, its session and the decision", async () => {
    const own = createWorkspace({ user: RULES });
    await ask("claude-code", DENIED["claude-code"].bash?.(own.cwd), own);
    await ask("codex", claude("Bash", { command: "make all" })(own.cwd), own);
    expect(await logged(own)).toEqual([
      expect.objectContaining({
        ...{ client: "claude-code", session: "s1", call: "toolu_2", tool: "Bash", result: null },
        decision: expect.objectContaining({ decision: "deny", code: "permission.denied" }),
      }),
      expect.objectContaining({ client: "codex", decision: expect.objectContaining({ decision: "pass" }) }),
    ]);
  });

  test("finds the calls of one client, of one of its sessions, and those with one answer", async () => {
    const own = createWorkspace({ user: RULES });
    await ask("claude-code", claude("Bash", { command: "git push" }, { session_id: "5f3a9c01-77" })(own.cwd), own);
    await ask("claude-code", claude("Bash", { command: "rm x" }, { session_id: "8c21" })(own.cwd), own);
    await ask("codex", claude("Bash", { command: "make all" })(own.cwd), own);
    const show = async (...flags: readonly string[]) => {
      const { out } = await runCli(["audit", ...flags], { cwd: own.cwd, env: { HOME: own.home } });
      return out
        .trim()
        .split("\n")
        .map((line) => line.replace(/^\S+ \S+ {2}/, ""));
    };
    expect(await show("--client", "claude-code", "--decision", "ask")).toEqual([
      'claude-code session 5f3a9c01  Bash  judged  ask: the rule Bash(git push:*) asks about "git push" (~/.config/toolcrib/config.yaml:3)',
    ]);
    expect(await show("--session", "8c21")).toEqual([expect.stringContaining("deny: ")]);
    expect(await show("--decision", "pass")).toEqual([
      expect.stringMatching(/^codex session s1 {2}Bash {2}judged {2}pass/),
    ]);
  });

  test("shows people the calls alone, with what the client was answered and a session that no other has", async () => {
    const own = createWorkspace({ user: RULES });
    const sessions = ["01a1f16f-8f00-7bb0-9c4d-5c47368d3149", "01a1f16f-9e11-7bb0-9c4d-5c47368d3149"];
    for (const session_id of sessions)
      await ask("codex", { ...claude("Bash", { command: "git push" })(own.cwd), session_id }, own);
    const { out } = await runCli(["audit"], { cwd: own.cwd, env: { HOME: own.home } });
    const said = 'asks about "git push"; that needs a person, whom Codex cannot ask for a hook';
    expect(out.trim().split("\n")).toEqual([
      expect.stringMatching(/codex session 01a1f16f-8f00 {2}Bash {2}judged {2}deny: /),
      expect.stringMatching(/codex session 01a1f16f-9e11 {2}Bash {2}judged {2}deny: /),
    ]);
    expect(out).toContain(`${said} (~/.config/toolcrib/config.yaml:3)\n`);
  });

  test("leaves a call to our gateway to it, whatever the client's file calls its entry", async () => {
    const files = { ".mcp.json": listing({ "my-crib": START }) };
    expect((await rowsAfter(files, "mcp__my_crib__github__create_issue")).rows).toEqual([]);
    expect((await rowsAfter(files, "mcp__toolcrib__github__create_issue")).rows).toHaveLength(1);
  });

  test("knows the gateway by the address at which one runs", async () => {
    const own = createWorkspace({ user: RULES });
    const origin = "http://127.0.0.1:4931";
    own.write(".mcp.json", listing({ crib: { type: "http", url: `${origin}/mcp` } }));
    await ask("claude-code", claude("mcp__crib__github__create_issue", {})(own.cwd), own);
    const note = { pid: process.pid, workspace: own.cwd, isProject: true, version: "1", started: 1, port: 4931 };
    const take = await writeNote({ home: own.home, env: {} }, "0".repeat(32), {
      ...{ ...note, socket: "/none", secret: "s", origin },
    });
    await ask("claude-code", claude("mcp__crib__github__create_pull", {})(own.cwd), own);
    await take();
    expect((await logged(own)).map(({ tool }) => tool)).toEqual(["mcp__crib__github__create_issue"]);
  });

  test.each([
    ["another program of our name", { command: "/opt/evil/toolcrib", args: ["connect"] }],
    ["ours with variables that a repository adds", { ...START, env: { NODE_OPTIONS: "--import ./evil.js" } }],
    ["ours with another command", { command: process.execPath, args: [BIN, "serve"] }],
    ["another address", { type: "http", url: "http://127.0.0.1:9/mcp" }],
  ])("judges and logs the calls of %s", async (_, entry) => {
    const rules = 'permissions:\n  ask: ["toolcrib/*"]\n';
    const files = { ".mcp.json": listing({ toolcrib: entry }) };
    const { answer, rows } = await rowsAfter(files, "mcp__toolcrib__delete", rules);
    expect(answer.out).toContain('"permissionDecision":"ask"');
    expect(rows).toHaveLength(1);
  });

  test("holds a call to our gateway that a rule about its entry refuses, which never comes there", async () => {
    const files = { ".mcp.json": listing({ crib: START }) };
    const { answer, rows } = await rowsAfter(files, "mcp__crib__x", 'permissions:\n  deny: ["crib/*"]\n');
    expect(answer.out).toContain('"permissionDecision":"deny"');
    expect(rows).toHaveLength(1);
  });
});
