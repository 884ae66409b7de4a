import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { anExecutor, type Harness } from "../../../test/support/executor-harness.ts";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import type { HookConfig } from "../../config/config.ts";
import type { HookEvent } from "../../config/shape/hook-shape.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { SYSTEM_CLOCK } from "../../system/time/clock.ts";
import { createCallHooks } from "./call-hooks.ts";
import { createHookRunner, type HookRunner } from "./hook-runner.ts";
import type { SessionHooks } from "./hook-types.ts";

let folder = "";
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "toolcrib-hooks-")));
});
afterEach(() => rm(folder, { recursive: true }));

const ORIGIN = { kind: "file", file: "toolcrib.yaml", line: 3 } as const;
const hook = (command: string, more: Partial<HookConfig> = {}): HookConfig => ({
  origin: ORIGIN,
  matcher: null,
  when: null,
  command,
  args: null,
  cwd: null,
  env: new Map(),
  timeout: null,
  isAsync: false,
  dialect: "toolcrib",
  onFailure: null,
  ...more,
});

interface Hooked extends Harness {
  readonly runner: HookRunner;
  readonly ran: unknown[];
  readonly warnings: Omit<Notice, "level">[];
  call(args?: object, name?: string): ReturnType<Harness["executor"]["call"]>;
}

/** A tool behind these hooks. */
function hooked(
  commands: Partial<Record<HookEvent, readonly HookConfig[]>>,
  functions: SessionHooks = {},
  { clock = SYSTEM_CLOCK, fails = false } = {},
): Hooked {
  const ran: unknown[] = [];
  const warnings: Omit<Notice, "level">[] = [];
  const events: { emit: (name: never, data: never) => void } = { emit: () => {} };
  const runner = createHookRunner({
    sessionId: "s1",
    cwd: folder,
    env: { PATH: process.env.PATH, SECRET_TOKEN: "canary" },
    commands: () => new Map(Object.entries(commands) as [HookEvent, readonly HookConfig[]][]), // Keys of the record.
    functions: () => functions,
    clock,
    newId: () => "run",
    emit: (name, data) => events.emit(name as never, data as never),
    warn: (notice) => void warnings.push(notice),
  });
  const hooks = createCallHooks({
    runner,
    sessionId: "s1",
    cwd: folder,
    mode: () => "default",
    today: () => 7,
    isMeantBy: async (rule) => rule === "echo",
  });
  const harness = anExecutor(
    [{ name: "echo", source: "builtin", inputSchema: { type: "object", properties: { path: { type: "string" } } } }],
    async (_tool, args) => {
      ran.push(args);
      if (fails) throw new Error("handler secret");
      return { textResultForLlm: "ran", resultType: "success" };
    },
    { hooks },
  );
  events.emit = (name, data) => void harness.events.push({ name, data });
  const { executor, request } = harness;
  return {
    ...harness,
    runner,
    ran,
    warnings,
    call: (args = {}, name = "echo") => executor.call(request, { id: "c1", toolName: name, arguments: args }),
  };
}

const says = (output: object): string => `cat >/dev/null; echo '${JSON.stringify(output)}'`;

describe("command hooks before a call", () => {
  test("they get the call as JSON, with the names and fields that Claude's hooks know", async () => {
    const own = hooked({ preToolUse: [hook("cat > own.json"), hook("cat > claude.json", { dialect: "claude" })] });
    await own.call({ path: "a.ts" });
    const { readFile } = await import("node:fs/promises");
    const read = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), "utf8"));
    expect(await read("own.json")).toEqual({
      session_id: "s1",
      transcript_path: "",
      cwd: folder,
      permission_mode: "default",
      hook_event_name: "PreToolUse",
      timestamp: "1970-01-01T00:00:00.007Z",
      tool_name: "echo",
      tool_input: { path: "a.ts" },
      tool_use_id: "c1",
    });
    expect(await read("claude.json")).toMatchObject({ tool_input: { path: "a.ts", file_path: join(folder, "a.ts") } });
  });

  test("exit 0 lets it pass, and JSON decides", async () => {
    const rewriting = hooked({
      preToolUse: [hook(says({ hookSpecificOutput: { updatedInput: { path: "b" }, additionalContext: "c" } }))],
    });
    expect((await rewriting.call({ path: "a" })).additionalContext).toEqual(["c"]);
    expect(rewriting.ran).toEqual([{ path: "b" }]);
    const denying = hooked({
      preToolUse: [
        hook(says({ hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "not here" } })),
      ],
    });
    expect((await denying.call()).result).toMatchObject({
      resultType: "denied",
      textResultForLlm: "Denied by preToolUse hook: not here",
    });
    expect(denying.ran).toEqual([]);
  });

  test("continue: false ends the turn", async () => {
    const { call, ran } = hooked({ preToolUse: [hook(says({ continue: false, stopReason: "budget" }))] });
    expect(await call()).toMatchObject({
      endTurn: true,
      result: { resultType: "denied", textResultForLlm: expect.stringContaining("budget") },
    });
    expect(ran).toEqual([]);
  });

  test("exit 2 blocks with what it wrote, whatever its output says", async () => {
    const { call, ran, of } = hooked({
      preToolUse: [hook(`echo '{"permissionDecision":"allow"}'; echo stop >&2; exit 2`)],
    });
    expect((await call()).result.textResultForLlm).toBe("Denied by preToolUse hook: stop");
    expect(ran).toEqual([]);
    expect(of("hook.end")).toMatchObject([{ outcome: "blocked", error: "stop" }]);
  });

  test.each([
    ["another exit status", "echo canary >&2; exit 1", "failed"],
    ["a program that is not there", "./no-such-hook", "not-started"],
    ["JSON that is none", "echo '{broken'", "failed"],
    ["an answer that nobody knows", says({ permissionDecision: "alow" }), "failed"],
  ])("%s blocks, is told once, and counted each time; what it wrote stays with people", async (_, command, outcome) => {
    const { call, ran, of, warnings, runner } = hooked({ preToolUse: [hook(command)] });
    const { result } = await call();
    await call();
    expect(result.resultType).toBe("denied");
    expect(result.textResultForLlm).not.toContain("canary");
    expect(ran).toEqual([]);
    expect(of("hook.end").map((event) => event.outcome)).toEqual([outcome, outcome]);
    expect(warnings).toMatchObject([{ code: "hook.failed", origin: ORIGIN }]);
    expect(runner.failures.get(command)).toBe(2);
  });

  test("onFailure: continue lets the call go on, and the failure is still told", async () => {
    const { call, ran, warnings } = hooked({ preToolUse: [hook("exit 7", { onFailure: "continue" })] });
    expect((await call()).result.resultType).toBe("success");
    expect([ran.length, warnings.length]).toEqual([1, 1]);
  });

  test("valid JSON counts also beside another exit status", async () => {
    const { call } = hooked({
      preToolUse: [hook(`${says({ permissionDecision: "deny", permissionDecisionReason: "r" })}; exit 3`)],
    });
    expect((await call()).result.textResultForLlm).toContain("r");
  });

  test("one that hangs is ended after its time and blocks", async () => {
    const { call, of } = hooked({ preToolUse: [hook("sleep 60", { timeout: 0.2 })] });
    expect((await call()).result.textResultForLlm).toContain("did not answer in time");
    expect(of("hook.end")).toMatchObject([{ outcome: "timeout" }]);
  });

  test("they run beside each other, equal ones once, only where they match, and the strictest counts", async () => {
    await writeFile(join(folder, "log"), "");
    const log = "cat >/dev/null; echo x >> log";
    const { call, of } = hooked({
      preToolUse: [
        hook(log),
        hook(log),
        hook(`${log}; true`, { matcher: "Bash" }),
        hook(says({ permissionDecision: "allow" })),
        hook(says({ permissionDecision: "deny", permissionDecisionReason: "one says no" }), { matcher: "ec.o" }),
      ],
    });
    expect((await call()).result.textResultForLlm).toContain("one says no");
    expect(of("hook.start")).toHaveLength(3);
  });

  test("secrets of the environment stay with the parent", async () => {
    const { call } = hooked({ preToolUse: [hook('test -z "$SECRET_TOKEN" && test -n "$CLAUDE_PROJECT_DIR"')] });
    expect((await call()).result.resultType).toBe("success");
  });
});

describe("hooks after a call", () => {
  test.each([
    [{ hookSpecificOutput: { updatedToolOutput: "new" } }, "new"],
    [{ modifiedResult: { textResultForLlm: "whole", resultType: "failure" } }, "whole"],
    [{ hookSpecificOutput: { updatedToolOutput: { a: 1 } } }, '{"a":1}'],
  ])("%j replaces what the model reads", async (output, text) => {
    const { call } = hooked({ postToolUse: [hook(says(output))] });
    expect((await call()).result.textResultForLlm).toBe(text);
  });

  test("a block is a word to the model, and context is added", async () => {
    const blocked = hooked({
      postToolUse: [hook("echo fix the lint >&2; exit 2"), hook(says({ additionalContext: "more" }))],
    });
    expect(await blocked.call()).toMatchObject({
      result: { textResultForLlm: "ran" },
      additionalContext: ["more", "fix the lint"],
    });
    const ending = hooked({ postToolUse: [hook(says({ continue: false }))] });
    expect(await ending.call()).toMatchObject({ endTurn: true, result: { resultType: "success" } });
  });

  test("a failure goes to its own hooks, with the real message", async () => {
    const seen: unknown[] = [];
    const { call } = hooked(
      { postToolUse: [hook("exit 2")] },
      { onPostToolUseFailure: ({ error }) => void seen.push(error) },
      { fails: true },
    );
    expect((await call()).result.textResultForLlm).not.toContain("secret");
    expect(seen).toEqual(["handler secret"]);
  });

  test("one that fails changes nothing and is told", async () => {
    const { call, warnings } = hooked({ postToolUse: [hook("exit 1")] });
    expect((await call()).result.textResultForLlm).toBe("ran");
    expect(warnings).toHaveLength(1);
  });
});

describe("hooks in this process", () => {
  test("one that throws or hangs blocks, as commands do", async () => {
    const throwing = hooked({}, { onPreToolUse: () => Promise.reject(new Error("boom 10.0.0.5")) });
    const { result } = await throwing.call();
    expect(result).toMatchObject({ resultType: "denied", textResultForLlm: expect.not.stringContaining("10.0.0.5") });
    expect(throwing.of("hook.end")).toMatchObject([
      { name: "onPreToolUse", outcome: "failed", error: "boom 10.0.0.5" },
    ]);
    const clock = createFakeClock();
    const hanging = hooked({}, { onPreToolUse: () => new Promise<undefined>(() => {}) }, { clock });
    const call = hanging.call();
    while (clock.pending.length === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(60_000);
    expect((await call).result.resultType).toBe("denied");
  });

  test("unknown tools and arguments that do not fit reach no hook", async () => {
    const { call, of } = hooked({ preToolUse: [hook("true")] }, { onPreToolUse: () => undefined });
    await call({}, "nothing");
    await call({ path: 5 });
    expect(of("hook.start")).toEqual([]);
  });
});
