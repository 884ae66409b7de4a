import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { needs } from "../support/machine.ts";
import { openWith, says } from "./settings-session.ts";

/** What hooks of Claude Code's settings do here, field by field of its documentation. */

type Handler = Readonly<Record<string, unknown>>;
const FILE = ".claude/settings.json";
const on = (event: string, handler: Handler | string, matcher?: string) => ({
  [FILE]: {
    hooks: {
      [event]: [
        {
          ...(matcher === undefined ? {} : { matcher }),
          hooks: [
            typeof handler === "string" ? { type: "command", command: handler } : { type: "command", ...handler },
          ],
        },
      ],
    },
  },
});
const specific = (hookEventName: string, fields: object) => says({ hookSpecificOutput: { hookEventName, ...fields } });
const pre = (fields: object) => specific("PreToolUse", fields);
const write = ["create", { path: "n.txt", content: "x" }] as const;
const view = ["view", { path: "a.txt" }] as const;

describe("PreToolUse", () => {
  test.each([
    ["permissionDecision allow: no question", pre({ permissionDecision: "allow" }), "success", "n.txt"],
    ["permissionDecision deny", pre({ permissionDecision: "deny" }), "denied", "No reason provided"],
    [
      "permissionDecisionReason",
      pre({ permissionDecision: "deny", permissionDecisionReason: "use the API" }),
      "denied",
      "use the API",
    ],
    ["permissionDecision ask: nobody is there", pre({ permissionDecision: "ask" }), "denied", "there is nobody to ask"],
    [
      "permissionDecision defer: a person's affair",
      pre({ permissionDecision: "defer" }),
      "denied",
      "there is nobody to ask",
    ],
    ["continue false with stopReason", says({ continue: false, stopReason: "budget spent" }), "denied", "budget spent"],
    ["the old decision: block", says({ decision: "block", reason: "old way" }), "denied", "old way"],
    ["the old decision: approve", says({ decision: "approve" }), "success", "n.txt"],
    ["exit 2: stderr for the model", "echo 'no writing here' >&2; exit 2", "denied", "no writing here"],
    ["exit 2 is not overridden by JSON", `${pre({ permissionDecision: "allow" })}; exit 2`, "denied", "No reason"],
    ["exit 0 without a word: as if there were none", "true", "denied", "there is nobody to ask"],
    ["plain text is no decision", "echo fine", "denied", "there is nobody to ask"],
    ["suppressOutput changes nothing", says({ suppressOutput: true }), "denied", "there is nobody to ask"],
    // The difference: elsewhere these let the call go on.
    ["another exit status blocks", "exit 1", "denied", "a hook that has to agree failed"],
    ["a program that is not there blocks", "/no/such/hook", "denied", "could not be started"],
  ])("%s", async (_, command, resultType, text) => {
    const { session } = await openWith(on("PreToolUse", command, "Write"));
    const result = await session.call(...write);
    expect(result).toMatchObject({ resultType, textResultForLlm: expect.stringContaining(text) });
  });

  test("before the calls of one reply they start together, and none waits for what an earlier call writes", async () => {
    // Each waits for the other, so that both only end if neither waits for a call.
    const command =
      "touch hook-$$; i=0; until [ $(ls | grep -c hook-) = 2 ]; do i=$((i+1)); [ $i = 400 ] && exit 2; sleep 0.05; done";
    const { session } = await openWith({
      ...on("PreToolUse", command, "Write"),
      "toolcrib.yaml": "permissions: { allow: [Write] }",
    });
    const parts = async function* () {
      for (const path of ["n.txt", "o.txt"])
        yield { type: "call", call: { id: path, toolName: "create", arguments: { path, content: "x" } } } as const;
      yield { type: "stop", confirmed: true } as const;
    };
    for await (const { result } of session.executeCalls(session.request(), parts()))
      expect(result.resultType).toBe("success");
  });

  test("updatedInput replaces the input whole, under Claude's names of fields, and is judged again", async () => {
    const updatedInput = { file_path: "other.txt", content: "changed" };
    const { session, read, cwd } = await openWith({
      ...on("PreToolUse", pre({ permissionDecision: "allow", updatedInput }), "Write"),
    });
    expect((await session.call(...write)).resultType).toBe("success");
    expect([read("other.txt"), existsSync(join(cwd, "n.txt"))]).toEqual(["changed", false]);
    const denied = await openWith({
      ...on("PreToolUse", pre({ permissionDecision: "allow", updatedInput }), "Write"),
      "toolcrib.yaml": "permissions: { deny: ['Write(other.txt)'] }",
    });
    expect((await denied.session.call(...write)).textResultForLlm).toContain("Permission denied");
  });

  test("additionalContext and systemMessage: one for the model, one for people", async () => {
    const output = { systemMessage: "for you", hookSpecificOutput: { additionalContext: "for the model" } };
    const { session, of } = await openWith(on("PreToolUse", says(output)));
    const result = await session.call(...view);
    expect(result.additionalContext).toEqual(["for the model"]);
    expect(JSON.stringify(result)).not.toContain("for you");
    expect(of("session.info")).toMatchObject([{ code: "hook.message", text: "for you" }]);
  });

  test("what it gets: names and fields of Claude's tools, with whole paths", async () => {
    const { session, read, cwd } = await openWith({
      ...on("PreToolUse", "cat > seen.json"),
      "toolcrib.yaml": "permissions: { allow: [Edit] }",
    });
    await session.call("edit", { path: "a.txt", old_str: "hello", new_str: "bye" });
    expect(JSON.parse(read("seen.json"))).toMatchObject({
      hook_event_name: "PreToolUse",
      permission_mode: "default",
      cwd,
      tool_name: "Edit",
      tool_input: { file_path: join(cwd, "a.txt"), old_string: "hello", new_string: "bye" },
    });
    expect(read("a.txt")).toBe("bye\n");
  });

  test("a guard of commands sees what is typed into one that runs, and can change it", needs("bash"), async () => {
    const guard = '! grep -q \'"command":"rm\' || exit 2';
    const { session } = await openWith({
      ...on("PreToolUse", guard, "Bash"),
      "toolcrib.yaml": "permissions: { allow: [Bash] }\nsandbox: { allowHostShell: true }",
    });
    await session.call("bash", { command: "cat", mode: "background" });
    expect((await session.call("write_bash", { id: "1", input: "rm x" })).resultType).toBe("denied");
    expect((await session.call("write_bash", { id: "1", input: "yes" })).resultType).toBe("success");
    const changing = await openWith({
      ...on("PreToolUse", pre({ updatedInput: { id: "1", command: "changed" } }), "Bash"),
      "toolcrib.yaml": "permissions: { allow: [write_bash] }\nsandbox: { allowHostShell: true }",
    });
    const result = await changing.session.call("write_bash", { id: "1", input: "rm x" });
    expect(result.textResultForLlm).toContain("There is no command");
  });

  test.each([
    ["Write", true],
    ["Edit|Write", true],
    ["Edit, Write", true],
    ["*", true],
    ["", true],
    ["Wri.*", true],
    ["Bash", false],
    ["write", false],
    ["mcp__memory", false],
    ["mcp__memory__.*", false],
  ])("matcher %j sees a Write: %j", async (matcher, sees) => {
    const { session, of } = await openWith(on("PreToolUse", "true", matcher));
    await session.call(...write);
    expect(of("hook.start")).toHaveLength(sees ? 1 : 0);
  });

  test.each([
    ["Bash(git *)", "git push", true],
    ["Bash(git *)", "FOO=bar git push", true],
    ["Bash(git *)", "npm test && git push", true],
    ["Bash(git *)", "echo $(git log)", true],
    ["Bash(git *)", "ls", false],
    ["Bash(git *)", "echo 'cannot be read", true],
    ["Edit(*.ts)", "git push", false],
    ["Bash(git", "ls", true],
  ])("if %j asks about %j: %j", async (condition, command, asks) => {
    const { session, of } = await openWith({
      ...on("PreToolUse", { command: "exit 2", if: condition }, "Bash"),
      "toolcrib.yaml": "sandbox: { allowHostShell: true }",
    });
    await session.call("bash", { command });
    expect(of("hook.start")).toHaveLength(asks ? 1 : 0);
  });

  test("args: the program is started without a shell", async () => {
    const args = ["-e", 'process.stdout.write(JSON.stringify({decision:"block",reason:process.argv[1]}))', "$HOME;x"];
    const { session } = await openWith(on("PreToolUse", { command: process.execPath, args }));
    expect((await session.call(...view)).textResultForLlm).toContain("$HOME;x");
  });

  test("async: nobody waits, and what it says decides nothing", async () => {
    const { session, of } = await openWith(on("PreToolUse", { command: "cat >/dev/null; exit 2", async: true }));
    expect((await session.call(...view)).resultType).toBe("success");
    while (of("hook.end").length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(of("hook.end")).toMatchObject([{ outcome: "blocked" }]);
  });

  test("several: all run, equal ones once, deny beats ask beats allow", async () => {
    const hooks = [
      { type: "command", command: pre({ permissionDecision: "allow" }) },
      { type: "command", command: pre({ permissionDecision: "ask" }) },
      { type: "command", command: pre({ permissionDecision: "deny", permissionDecisionReason: "one says no" }) },
      { type: "command", command: pre({ permissionDecision: "allow" }) },
    ];
    const { session, of } = await openWith({ [FILE]: { hooks: { PreToolUse: [{ matcher: "Write", hooks }] } } });
    expect((await session.call(...write)).textResultForLlm).toContain("one says no");
    expect(of("hook.start")).toHaveLength(3);
  });

  test("a hook's allow passes no deny and no ask rule", async () => {
    const files = { ...on("PreToolUse", pre({ permissionDecision: "allow" }), "Write") };
    const denied = await openWith({ ...files, "toolcrib.yaml": "permissions: { deny: ['Write(n.txt)'] }" });
    expect((await denied.session.call(...write)).textResultForLlm).toContain("Permission denied");
    const asked = await openWith({ ...files, "toolcrib.yaml": "permissions: { ask: ['Write(n.txt)'] }" });
    expect((await asked.session.call(...write)).textResultForLlm).toContain("Permission denied");
  });
});

describe("PostToolUse and PostToolUseFailure", () => {
  test.each([
    ["decision block: a word to the model", says({ decision: "block", reason: "lint it" }), "lint it", "hello"],
    ["exit 2", "echo 'lint it' >&2; exit 2", "lint it", "hello"],
    ["additionalContext", specific("PostToolUse", { additionalContext: "lint it" }), "lint it", "hello"],
  ])("%s", async (_, command, context, text) => {
    const { session } = await openWith(on("PostToolUse", command, "Read"));
    const result = await session.call(...view);
    expect(result).toMatchObject({
      resultType: "success",
      additionalContext: [context],
      textResultForLlm: expect.stringContaining(text),
    });
  });

  test.each(["updatedToolOutput", "updatedMCPToolOutput"])("%s replaces what the model reads", async (field) => {
    const { session } = await openWith(on("PostToolUse", specific("PostToolUse", { [field]: "cut" })));
    expect((await session.call(...view)).textResultForLlm).toBe("cut");
  });

  test("continue false ends the turn, and the result stays", async () => {
    const { session } = await openWith(on("PostToolUse", says({ continue: false })));
    expect(await session.call(...view)).toMatchObject({ resultType: "success", endTurn: true });
  });

  test("a formatter gets the file that was written", async () => {
    const { session, read, cwd } = await openWith({
      ...on("PostToolUse", "cat > seen.json", "Edit|Write"),
      "toolcrib.yaml": "permissions: { allow: [Write] }",
    });
    await session.call(...write);
    expect(JSON.parse(read("seen.json"))).toMatchObject({
      tool_name: "Write",
      tool_input: { file_path: join(cwd, "n.txt") },
      tool_response: { content: expect.any(String) },
      duration_ms: expect.any(Number),
    });
  });

  test("a failure goes to its own hooks, with additionalContext back", async () => {
    const command = `${specific("PostToolUseFailure", { additionalContext: "try a.txt" })}`;
    const { session, of } = await openWith(on("PostToolUseFailure", command, "Read"));
    expect(await session.call("view", { path: "missing.txt" })).toMatchObject({
      resultType: "failure",
      additionalContext: ["try a.txt"],
    });
    await session.call(...view);
    expect(of("hook.start")).toHaveLength(1);
  });

  test("one that fails costs nothing but a word about it", async () => {
    const { session, of } = await openWith(on("PostToolUse", "exit 1"));
    expect((await session.call(...view)).resultType).toBe("success");
    expect(of("session.warning")).toMatchObject([{ code: "hook.failed" }]);
  });
});

describe("PermissionRequest", () => {
  const answers = (decision: object) => specific("PermissionRequest", { decision });

  test.each([
    ["allow", { behavior: "allow" }, { resultType: "success" }],
    ["deny with a message", { behavior: "deny", message: "not today" }, { resultType: "denied" }],
    ["interrupt ends the turn", { behavior: "deny", message: "stop", interrupt: true }, { resultType: "rejected" }],
    [
      "updatedPermissions change no rule",
      { behavior: "deny", updatedPermissions: [{ type: "addRules" }] },
      { resultType: "denied" },
    ],
  ])("%s", async (_, decision, expected) => {
    const { session } = await openWith(on("PermissionRequest", answers(decision), "Write"));
    expect(await session.call(...write)).toMatchObject(expected);
  });

  test("updatedInput is judged again", async () => {
    const decision = { behavior: "allow", updatedInput: { file_path: "m.txt", content: "y" } };
    const { session, read } = await openWith(on("PermissionRequest", answers(decision), "Write"));
    expect((await session.call(...write)).resultType).toBe("success");
    expect(read("m.txt")).toBe("y");
  });

  test("it is asked only where a person would be", async () => {
    const { session, of } = await openWith(on("PermissionRequest", answers({ behavior: "deny" })));
    expect((await session.call(...view)).resultType).toBe("success");
    expect(of("hook.start")).toEqual([]);
  });
});

describe("prompts and sessions", () => {
  test.each([
    ["plain text is context", "echo remember", { additionalContext: ["remember"], blocked: null }],
    ["additionalContext", specific("UserPromptSubmit", { additionalContext: "c" }), { additionalContext: ["c"] }],
    ["decision block", says({ decision: "block", reason: "secrets" }), { blocked: "secrets" }],
    ["exit 2", "echo no >&2; exit 2", { blocked: "no" }],
    ["continue false", says({ continue: false, stopReason: "closed" }), { blocked: "closed" }],
  ])("UserPromptSubmit, %s", async (_, command, expected) => {
    const { session } = await openWith(on("UserPromptSubmit", command));
    expect(await (await session.calls()).prompt("hi")).toMatchObject(expected);
  });

  test.each([
    ["startup", true],
    ["resume", false],
    ["startup|resume", true],
    ["", true],
  ])("SessionStart, matcher %j, at the start: %j", async (matcher, sees) => {
    const { session } = await openWith(on("SessionStart", "echo loaded", matcher));
    const { additionalContext } = await (await session.calls()).prompt("hi");
    expect(additionalContext).toEqual(sees ? ["loaded"] : []);
  });

  test("SessionEnd runs when the session closes", async () => {
    const { session, read } = await openWith(on("SessionEnd", "cat > end.json"));
    await session.call(...view);
    await session.close();
    expect(JSON.parse(read("end.json"))).toMatchObject({ hook_event_name: "SessionEnd" });
  });
});

describe("the file", () => {
  test("disableAllHooks, events that do not happen, and handlers that are no commands", async () => {
    const off = await openWith({ [FILE]: { ...on("PreToolUse", "exit 2")[FILE], disableAllHooks: true } });
    expect((await off.session.call(...view)).resultType).toBe("success");
    const hooks = {
      TeammateIdle: [{ hooks: [{ type: "command", command: "true" }] }],
      PreToolUse: [
        {
          hooks: [
            { type: "http", url: "https://x.test" },
            { type: "prompt", prompt: "?" },
          ],
        },
      ],
      SessionStart: [{ hooks: [{ type: "command", command: "true", if: "Bash" }] }],
    };
    const { config } = await openWith({ [FILE]: { hooks } });
    expect(config.notices.map(({ text }) => text)).toEqual([
      expect.stringContaining("hooks for TeammateIdle are left out"),
      expect.stringContaining('type "http"'),
      expect.stringContaining('type "prompt"'),
      expect.stringContaining('"if" is about calls'),
    ]);
  });

  test("hooks of the user's own file run without trust", async () => {
    const { [FILE]: own } = on("PreToolUse", "exit 2");
    const { session, config } = await openWith({ "../.claude/settings.json": own });
    expect(config.trust.state).toBe("nothing");
    expect((await session.call(...view)).resultType).toBe("denied");
  });
});

test("CLAUDE_PROJECT_DIR is the folder of the settings that name the hook, also for anyone who works below it", async () => {
  const script = ".claude/hooks/check.sh";
  const files = {
    ...on("PreToolUse", `sh "$CLAUDE_PROJECT_DIR/${script}"`, "Write"),
    [script]: "echo asked the script >&2; exit 2",
  };
  const { session } = await openWith(files, { below: "packages/a" });
  expect(await session.call(...write)).toMatchObject({
    resultType: "denied",
    textResultForLlm: expect.stringContaining("asked the script"),
  });
});
