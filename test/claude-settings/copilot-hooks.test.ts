import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openWith, says } from "./settings-session.ts";

/** What Copilot's hook files do here, field by field of its documentation. */

type Entry = Readonly<Record<string, unknown>>;
const FILE = ".github/hooks/guard.json";
const on = (event: string, entry: Entry | string, more: Entry = {}) => ({
  [FILE]: {
    version: 1,
    ...more,
    hooks: { [event]: [typeof entry === "string" ? { type: "command", bash: entry } : entry] },
  },
});
const write = ["create", { path: "n.txt", content: "x" }] as const;
const view = ["view", { path: "a.txt" }] as const;

describe("preToolUse", () => {
  test.each([
    ["permissionDecision allow", says({ permissionDecision: "allow" }), "success", "n.txt"],
    [
      "permissionDecision deny and its reason",
      says({ permissionDecision: "deny", permissionDecisionReason: "not in this folder" }),
      "denied",
      "Denied by preToolUse hook: not in this folder",
    ],
    ["permissionDecision ask", says({ permissionDecision: "ask" }), "denied", "there is nobody to ask"],
    ["an empty answer", says({}), "denied", "there is nobody to ask"],
    [
      "exit 2 denies, with the reason of its JSON",
      `${says({ permissionDecision: "allow", permissionDecisionReason: "why" })}; exit 2`,
      "denied",
      "why",
    ],
    ["exit 2 without JSON", "echo because >&2; exit 2", "denied", "because"],
    [
      "another status denies, even beside an allow",
      `${says({ permissionDecision: "allow" })}; exit 1`,
      "denied",
      "failed",
    ],
    ["suppressOutput changes nothing", says({ permissionDecision: "allow", suppressOutput: true }), "success", "n.txt"],
    [
      "lines of progress are no part of the answer",
      `cat >/dev/null; echo '{"type":"progress","message":"looking"}'; echo '{"permissionDecision":'; echo '"allow"}'`,
      "success",
      "n.txt",
    ],
    // The differences: elsewhere a hook that hangs, or whose answer is no JSON, lets the call go on.
    ["two answers are none", `${says({ permissionDecision: "allow" })}; echo '{}'`, "denied", "failed"],
  ])("%s", async (_, bash, resultType, text) => {
    const { session } = await openWith(on("preToolUse", bash));
    expect(await session.call(...write)).toMatchObject({ resultType, textResultForLlm: expect.stringContaining(text) });
  });

  test("modifiedArgs replaces the arguments", async () => {
    const modifiedArgs = { path: "m.txt", content: "y" };
    const { session, read } = await openWith(on("preToolUse", says({ permissionDecision: "allow", modifiedArgs })));
    expect((await session.call(...write)).resultType).toBe("success");
    expect(read("m.txt")).toBe("y");
  });

  test("what it gets, in camel case", async () => {
    const { session, read, cwd } = await openWith(on("preToolUse", "cat > seen.json"));
    await session.call(...view);
    expect(JSON.parse(read("seen.json"))).toEqual({
      sessionId: expect.any(String),
      timestamp: expect.any(Number),
      cwd,
      toolName: "view",
      toolArgs: { path: "a.txt" },
    });
  });

  test("an event in Pascal case has Claude's fields and matchers", async () => {
    const { session, read } = await openWith(on("PreToolUse", { bash: "cat > seen.json", matcher: "Read" }));
    await session.call(...view);
    expect(JSON.parse(read("seen.json"))).toMatchObject({
      tool_name: "Read",
      timestamp: expect.stringMatching(/T.*Z$/),
    });
  });

  test.each([
    ["view", true],
    ["view|edit", true],
    ["vi", false],
    ["vi.*", true],
    ["bash", false],
    ["(", true],
  ])("matcher %j is a pattern for the whole name; sees view: %j", async (matcher, sees) => {
    const { session, of } = await openWith(on("preToolUse", { bash: "true", matcher }));
    await session.call(...view);
    expect(of("hook.start")).toHaveLength(sees ? 1 : 0);
  });
});

describe("entries", () => {
  test("cwd, env with variables, and bash in place of command", async () => {
    const entry = {
      bash: 'printf "%s %s" "$PWD" "$GREETING" > seen.txt',
      command: "false",
      cwd: "sub",
      env: { GREETING: "hi ${WHO} $WHO" },
    };
    const { session, read, cwd } = await openWith({ ...on("preToolUse", entry), "sub/x": "" }, { env: { WHO: "you" } });
    expect((await session.call(...view)).resultType).toBe("success");
    expect(read("sub/seen.txt")).toBe(`${join(cwd, "sub")} hi you you`);
  });

  test("command counts where there is no bash, exec and args run without a shell", async () => {
    const plain = await openWith(on("preToolUse", { command: "echo plain >&2; exit 2" }));
    expect((await plain.session.call(...view)).textResultForLlm).toContain("plain");
    const args = ["-e", "process.stderr.write(process.argv[1]); process.exit(2)", "$HOME"];
    const direct = await openWith(on("preToolUse", { exec: process.execPath, args }));
    expect((await direct.session.call(...view)).textResultForLlm).toContain("$HOME");
  });

  test("timeoutSec, timeout in its place, and 30 seconds without either", async () => {
    const hooks = [{ bash: "a", timeoutSec: 5, timeout: 9 }, { bash: "b", timeout: 9 }, { bash: "c" }];
    const { config } = await openWith({ [FILE]: { version: 1, hooks: { preToolUse: hooks } } });
    expect(config.hooks.get("preToolUse")?.map(({ timeout }) => timeout)).toEqual([5, 9, 30]);
  });

  test("an entry that cannot be used is left out alone; a file of another version whole", async () => {
    const hooks = {
      preToolUse: [{ type: "http", url: "https://x.test" }, { powershell: "x" }, { bash: "exit 2" }],
      teammateIdle: [],
    };
    const { config, session } = await openWith({ [FILE]: { version: 1, hooks } });
    expect(config.notices.map(({ text }) => text)).toEqual([
      expect.stringContaining("teammateIdle"),
      expect.stringContaining('type "http"'),
      expect.stringContaining("no command for this system"),
    ]);
    expect((await session.call(...view)).resultType).toBe("denied");
    const other = await openWith({ [FILE]: { version: 2, hooks } });
    expect([other.config.hooks.size, other.config.notices.length]).toEqual([0, 1]);
  });

  test("disableAllHooks silences its own file only", async () => {
    const { session } = await openWith({
      ...on("preToolUse", "exit 2", { disableAllHooks: true }),
      ".github/hooks/other.json": { version: 1, hooks: { preToolUse: [{ bash: "echo other >&2; exit 2" }] } },
    });
    expect((await session.call(...view)).textResultForLlm).toContain("other");
  });

  test("a user's own hook files run without trust", async () => {
    const { session, config } = await openWith({
      "../.copilot/hooks/mine.json": { version: 1, hooks: { preToolUse: [{ bash: "echo mine >&2; exit 2" }] } },
    });
    expect(config.trust.state).toBe("nothing");
    expect((await session.call(...view)).textResultForLlm).toContain("mine");
  });
});

describe("after a call", () => {
  test("modifiedResult replaces the result, additionalContext goes beside it", async () => {
    const modifiedResult = { resultType: "success", textResultForLlm: "redacted" };
    const { session } = await openWith(on("postToolUse", says({ modifiedResult, additionalContext: "mind" })));
    expect(await session.call(...view)).toMatchObject({ textResultForLlm: "redacted", additionalContext: ["mind"] });
  });

  test("a modifiedResult that is a failure goes to the hooks of failures next", async () => {
    const modifiedResult = { resultType: "failure", textResultForLlm: "too old" };
    const file = {
      version: 1,
      hooks: {
        postToolUse: [{ bash: says({ modifiedResult }) }],
        postToolUseFailure: [{ bash: "cat > failed.json; echo 'ask for a newer one'; exit 2" }],
      },
    };
    const { session, read } = await openWith({ [FILE]: file });
    expect(await session.call(...view)).toMatchObject({
      resultType: "failure",
      textResultForLlm: "too old",
      additionalContext: ["ask for a newer one"],
    });
    expect(JSON.parse(read("failed.json"))).toMatchObject({ toolName: "view", error: "too old" });
  });

  test("what it gets, and exit 2 is a warning for people", async () => {
    const { session, read, of } = await openWith(on("postToolUse", "cat > seen.json; echo odd >&2; exit 2"));
    const result = await session.call(...view);
    expect([result.resultType, result.additionalContext]).toEqual(["success", undefined]);
    expect(JSON.parse(read("seen.json")).toolResult).toEqual({
      resultType: "success",
      textResultForLlm: expect.stringContaining("hello"),
    });
    expect(of("session.warning")).toMatchObject([{ code: "hook.failed", text: expect.stringContaining("odd") }]);
  });
});

describe("permissionRequest", () => {
  test.each([
    ["behavior allow", says({ behavior: "allow" }), { resultType: "success" }],
    [
      "behavior deny and message",
      says({ behavior: "deny", message: "no" }),
      { resultType: "denied", error: expect.stringContaining("no") },
    ],
    ["interrupt", says({ behavior: "deny", interrupt: true }), { resultType: "rejected" }],
    ["exit 2 denies", `${says({ message: "from JSON" })}; exit 2`, { resultType: "denied" }],
    [
      "nothing: as if there were none",
      says({}),
      { resultType: "denied", error: expect.stringContaining("there is nobody to ask") },
    ],
  ])("%s", async (_, bash, expected) => {
    const { session } = await openWith(on("permissionRequest", bash));
    expect(await session.call(...write)).toMatchObject(expected);
  });
});

test("prompts, starts, ends and errors reach their hooks", async () => {
  const file = {
    version: 1,
    hooks: {
      sessionStart: [{ bash: says({ additionalContext: "from the start" }) }],
      userPromptSubmitted: [{ bash: "cat > prompt.json" }],
      errorOccurred: [{ bash: "cat > error.json" }],
      sessionEnd: [{ bash: "cat > end.json" }],
    },
  };
  const { session, read } = await openWith({ [FILE]: file });
  const calls = await session.calls();
  expect((await calls.prompt("hi")).additionalContext).toEqual(["from the start"]);
  await calls.failed(new Error("boom"), true);
  await session.close();
  expect(JSON.parse(read("prompt.json"))).toMatchObject({ prompt: "hi" });
  expect(JSON.parse(read("error.json"))).toMatchObject({
    error: { message: "boom", name: "Error" },
    recoverable: true,
  });
  expect(JSON.parse(read("end.json"))).toHaveProperty("reason");
});
