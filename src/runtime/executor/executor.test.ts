import { describe, expect, test, vi } from "vitest";
import { ALLOWED, anExecutor, neverAgain, type RunTool, toParts } from "../../../test/support/executor-harness.ts";
import { untilHolds } from "../../../test/support/poll.ts";
import type { Call } from "../../core/call/call.ts";
import { IN_PROCESS } from "../../sources/source.ts";
import type { Outcome } from "./outcome.ts";
import type { CallPart } from "./stream.ts";

const reading = { readOnly: true, idempotent: true, interrupt: "cancel" } as const;
const TOOLS = [
  { name: "read", traits: reading },
  { name: "write", traits: { interrupt: "finish" } },
  { name: "fragile", traits: { ...reading, abortSiblings: true } },
  {
    name: "strict",
    traits: reading,
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" } },
      required: ["path"],
      additionalProperties: false,
    },
  },
] as const;

const calls = (...names: readonly string[]): Call[] =>
  names.map((toolName, at) => ({ id: `c${at}`, toolName, arguments: {} }));
const ok: RunTool = async (tool) => ({ textResultForLlm: `${tool.name} done`, resultType: "success" });
const never: RunTool = (_tool, _args, { signal }) =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve({ textResultForLlm: "stopped", resultType: "failure" }));
  });
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));
const all = async (outcomes: AsyncIterable<Outcome>): Promise<Outcome[]> => {
  const list: Outcome[] = [];
  for await (const outcome of outcomes) list.push(outcome);
  return list;
};

async function* stream(...parts: readonly (CallPart | Promise<CallPart>)[]): AsyncGenerator<CallPart> {
  for (const part of parts) yield await part;
}

describe("before a call runs", () => {
  test("an unknown tool is answered with the tools that there are", async () => {
    const { executor, request } = anExecutor(TOOLS, ok);
    const { result } = await executor.call(request, { id: "c", toolName: "raed", arguments: {} });
    expect(result).toMatchObject({ resultType: "failure" });
    expect(result.textResultForLlm).toMatch(
      /^Tool 'raed' does not exist\. Did you mean read.*Available tools that can be called are /,
    );
  });

  test.each([
    [{ path: 5 }, '"path" must be string'],
    [{}, 'the property "path" is missing'],
    [{ path: "a", more: 1 }, 'has no property "more"'],
    ['{"path"', "not valid JSON"],
    [[1], "must be a JSON object"],
    [JSON.parse('{"path":"a","__proto__":{"x":1}}'), '"__proto__"'],
  ])("arguments that do not fit are answered with what to correct: %j", async (given, text) => {
    const ran: unknown[] = [];
    const { executor, request } = anExecutor(TOOLS, async (tool, args, context) => {
      ran.push(args);
      return ok(tool, args, context);
    });
    const { result } = await executor.call(request, { id: "c", toolName: "strict", arguments: given });
    expect(result.resultType).toBe("failure");
    expect(result.textResultForLlm).toContain(text);
    expect(ran).toEqual([]);
  });

  test("a tool whose own schema leads nowhere runs nothing, and the model is not told to try again", async () => {
    const inputSchema = { type: "object", properties: { a: { $ref: "#/nowhere" } } };
    const { executor, request } = anExecutor([{ name: "broken", inputSchema }], ok);
    const { result } = await executor.call(request, { id: "c", toolName: "broken", arguments: {} });
    expect(result.resultType).toBe("failure");
    expect(result.textResultForLlm).toMatch(/^The tool broken cannot be called: .* Do without it\.$/s);
  });

  test.each([
    [{ x: [1, { y: "z" }] }, { x: [1, { y: "z" }] }],
    ["{ no JSON", "{ no JSON"],
    [[1], [1]],
    [JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`), expect.stringContaining("64 levels")],
    [{ x: () => 1 }, expect.stringContaining("not plain JSON")],
  ])("listeners get arguments that can be written down for a call that did not run", async (given, shown) => {
    const { executor, request, of } = anExecutor(TOOLS, ok);
    for (const toolName of ["strict", "nobody"]) {
      const { arguments: told } = await executor.call(request, { id: toolName, toolName, arguments: given });
      expect(told).toEqual(shown);
    }
    expect(of("tool.execution_complete").map(({ arguments: told }) => told)).toEqual([shown, shown]);
  });

  test("input that a hook changed is validated and judged again", async () => {
    const judged: unknown[] = [];
    const ran: unknown[] = [];
    const harness = (updatedInput: unknown) =>
      anExecutor(
        TOOLS,
        async (tool, args, context) => {
          ran.push(args);
          return ok(tool, args, context);
        },
        {
          hooks: {
            pre: async () => ({
              decision: null,
              reason: null,
              updatedInput,
              additionalContext: ["note"],
              endTurn: false,
            }),
            post: async () => ({ additionalContext: [], endTurn: false }),
          },
          permissions: {
            revision: 1,
            again: neverAgain,
            judge: async ({ args }) => {
              judged.push(args);
              return ALLOWED;
            },
          },
        },
      );
    const good = harness({ path: "b" });
    const outcome = await good.executor.call(good.request, { id: "c", toolName: "strict", arguments: { path: "a" } });
    expect([judged, ran, outcome.arguments]).toEqual([[{ path: "b" }], [{ path: "b" }], { path: "b" }]);
    expect(outcome.additionalContext).toEqual(["note"]);
    const bad = harness({ path: 1 });
    const refused = await bad.executor.call(bad.request, { id: "c", toolName: "strict", arguments: { path: "a" } });
    expect(refused.result.textResultForLlm).toContain("A hook changed the arguments");
    expect([judged.length, ran.length]).toEqual([1, 1]);
  });

  test("a handler that changes its arguments changes nobody else's", async () => {
    const { executor, request, of } = anExecutor(TOOLS, async (tool, args, context) => {
      Reflect.set(args, "path", "changed");
      return ok(tool, args, context);
    });
    const outcome = await executor.call(request, { id: "c", toolName: "strict", arguments: { path: "a" } });
    expect(outcome.arguments).toEqual({ path: "a" });
    expect(of("tool.running")).toMatchObject([{ arguments: { path: "a" } }]);
  });

  test("a call is told of once it is accepted and again before it runs, with what it runs with then", async () => {
    const hook = { decision: null, reason: null, additionalContext: [], endTurn: false };
    const { executor, request, events } = anExecutor(TOOLS, ok, {
      hooks: {
        pre: ({ args }) =>
          args.path === "no" ? { ...hook, decision: "deny" } : { ...hook, updatedInput: { path: "b" } },
        post: () => ({ additionalContext: [], endTurn: false }),
      },
    });
    for (const [toolName, path] of [
      ["strict", "a"],
      ["strict", "no"],
      ["strict", 1],
      ["nobody", "a"],
    ] as const)
      await executor.call(request, { id: "c", toolName, arguments: { path } });
    expect(events.map(({ name, data }) => [name, "arguments" in data && data.arguments])).toEqual([
      ["tool.execution_start", { path: "a" }],
      ["tool.running", { path: "b" }],
      ["tool.execution_complete", { path: "b" }],
      ["tool.execution_start", { path: "no" }],
      ["tool.execution_complete", { path: "no" }],
      ["tool.execution_complete", { path: 1 }],
      ["tool.execution_complete", { path: "a" }],
    ]);
  });

  test("rules that change while a call waits are heeded before it runs (E1)", async () => {
    let revision = 1;
    const denied = {
      kind: "denied",
      decision: { ...ALLOWED.decision, text: "a new rule denies it" },
      resultType: "denied",
    } as const;
    let started = 0;
    const { executor, request } = anExecutor(
      TOOLS,
      async () => {
        started += 1;
        revision = 2;
        return { textResultForLlm: "", resultType: "success" };
      },
      {
        permissions: {
          get revision() {
            return revision;
          },
          judge: async () => ALLOWED,
          again: async () => denied,
        },
      },
    );
    const [first, second] = await all(executor.execute(request, toParts(calls("write", "write"))));
    expect(first?.result.resultType).toBe("success");
    expect(second?.result).toMatchObject({
      resultType: "denied",
      textResultForLlm: expect.stringContaining("a new rule denies it"),
    });
    expect(started).toBe(1);
  });
});

describe("results", () => {
  test("thrown secrets are in the log and never in the model's text", async () => {
    const canary = "postgres://admin:hunter2@10.0.0.5:5432";
    const { executor, request, of } = anExecutor(TOOLS, async () => {
      throw new Error(canary);
    });
    const { result } = await executor.call(request, { id: "c", toolName: "read", arguments: {} });
    expect(result.textResultForLlm).not.toContain("hunter2");
    expect(result.textResultForLlm).not.toContain("at ");
    expect(of("tool.execution_complete")).toMatchObject([{ success: false, error: canary }]);
  });

  test("a long result goes to a file, and the model gets both ends and where the rest is (X10)", async () => {
    const long = `start ${"x".repeat(60_000)} end`;
    const kept: string[] = [];
    const { executor, request } = anExecutor(
      TOOLS,
      async () => ({ textResultForLlm: long, resultType: "success", structured: { long } }),
      {
        spill: {
          write: async (_call, text) => {
            kept.push(text);
            return "/spill/c.txt";
          },
        },
      },
    );
    const { result } = await executor.call(request, { id: "c", toolName: "read", arguments: {} });
    expect(kept).toEqual([long]);
    expect(result.textResultForLlm).toMatch(/\/spill\/c\.txt.*\nstart x/s);
    expect(result.textResultForLlm.endsWith(" end")).toBe(true);
    expect(result.textResultForLlm.length).toBeLessThan(6_000);
    expect(result.structured).toBeUndefined();
  });

  test("progress, the session's log and telemetry are events and no text", async () => {
    const { executor, request, of } = anExecutor(TOOLS, async (_tool, _args, { onProgress }) => {
      onProgress?.({ message: "half", progress: 1, total: 2 });
      return { textResultForLlm: "t", resultType: "success", sessionLog: "log", toolTelemetry: { n: 1 } };
    });
    const { result } = await executor.call(request, { id: "c", toolName: "read", arguments: {} });
    expect(result.textResultForLlm).toBe("t");
    expect(of("tool.execution_progress")).toEqual([
      { toolCallId: "c", progressMessage: "half", progress: 1, total: 2 },
    ]);
    expect(of("tool.execution_complete")).toMatchObject([{ sessionLog: "log", toolTelemetry: { n: 1 }, content: "t" }]);
  });
});

describe("ending calls early", () => {
  test("a call that takes too long is aborted and says so (X11)", async () => {
    const { executor, request, clock } = anExecutor(
      [{ name: "read", traits: reading, timeout: 500 }, ...TOOLS.slice(1)],
      never,
    );
    const running = executor.call(request, { id: "c", toolName: "read", arguments: {} });
    while (clock.pending.length === 0) await tick();
    expect(clock.pending).toEqual([500]);
    clock.advance(500);
    expect((await running).result).toMatchObject({ resultType: "timeout", cancelledBy: "timeout" });
    const other = executor.call(request, { id: "d", toolName: "write", arguments: {} });
    while (clock.pending.length === 0) await tick();
    expect(clock.pending).toEqual([120_000]);
    clock.advance(120_000);
    expect((await other).result.resultType).toBe("timeout");
  });

  test("an abort cancels all as the user, a shutdown as a shutdown", async () => {
    const { executor, request } = anExecutor(TOOLS, never);
    const stop = new AbortController();
    const first = all(executor.execute(request, toParts(calls("read", "write")), { signal: stop.signal }));
    await tick();
    stop.abort();
    expect((await first).map(({ result }) => result.cancelledBy)).toEqual(["user", "user"]);
    const second = executor.call(request, { id: "x", toolName: "write", arguments: {} });
    await tick();
    await executor.close();
    expect((await second).result).toMatchObject({ cancelledBy: "shutdown", resultType: "failure" });
  });

  test("an interrupt lets those finish that want to", async () => {
    let finish: (() => void) | null = null;
    const { executor, request } = anExecutor(TOOLS, (tool, args, context) =>
      tool.name === "read"
        ? never(tool, args, context)
        : new Promise((resolve) => {
            finish = () => resolve({ textResultForLlm: "written", resultType: "success" });
          }),
    );
    const reading = executor.call(request, { id: "r", toolName: "read", arguments: {} });
    await tick();
    executor.interrupt();
    expect((await reading).result.cancelledBy).toBe("user");
    const writing = executor.call(request, { id: "w", toolName: "write", arguments: {} });
    await untilHolds(() => finish !== null);
    const waiting = executor.call(request, { id: "v", toolName: "write", arguments: {} });
    await tick();
    executor.interrupt();
    expect((await waiting).result).toMatchObject({
      cancelledBy: "user",
      textResultForLlm: expect.stringContaining("did not start"),
    });
    (finish as (() => void) | null)?.();
    expect((await writing).result.textResultForLlm).toBe("written");
  });

  test("failures are independent, unless the tool says otherwise (X7)", async () => {
    const fail: RunTool = async (tool, args, context) =>
      tool.name === "read" ? never(tool, args, context) : { textResultForLlm: "no", resultType: "failure" };
    const { executor, request } = anExecutor(TOOLS, fail);
    const [broken, sibling] = await all(executor.execute(request, toParts(calls("fragile", "read"))));
    expect(broken?.result.cancelledBy).toBeUndefined();
    expect(sibling?.result).toMatchObject({
      cancelledBy: "sibling",
      textResultForLlm: expect.stringContaining("nobody refused it"),
    });
    const plain = anExecutor(TOOLS, async (tool, args, context) =>
      tool.name === "strict" ? fail(tool, args, context) : ok(tool, args, context),
    );
    const results = await all(plain.executor.execute(plain.request, toParts(calls("strict", "read"))));
    expect(results.map(({ result }) => result.resultType)).toEqual(["failure", "success"]);
  });

  test("a failure leaves alone what still runs, and so does a cancelled call whose failure would not (X7)", async () => {
    let finish = (): void => {};
    const held: RunTool = (tool) =>
      tool.name === "write"
        ? new Promise((resolve) => {
            finish = () => resolve({ textResultForLlm: "written", resultType: "success" });
          })
        : Promise.resolve({ textResultForLlm: "no", resultType: "failure" });
    const { executor, request } = anExecutor(TOOLS, held);
    const outcomes = executor.execute(request, toParts(calls("read", "write")));
    expect((await outcomes.next()).value?.result.resultType).toBe("failure");
    for (let at = 0; at < 10; at += 1) await tick();
    finish();
    expect((await outcomes.next()).value?.result.textResultForLlm).toBe("written");
    const batch = all(executor.execute(request, toParts(calls("write", "fragile"))));
    for (let at = 0; at < 10; at += 1) await tick();
    executor.interrupt();
    for (let at = 0; at < 10; at += 1) await tick();
    finish();
    expect((await batch).map(({ result }) => result.cancelledBy)).toEqual([undefined, "user"]);
  });

  test("interrupting from inside a hook that answers at once interrupts that call too", async () => {
    const pre = () => {
      executor.interrupt();
      return { decision: null, reason: null, additionalContext: [], endTurn: false };
    };
    const hooks = { pre, post: () => ({ additionalContext: [], endTurn: false }) };
    const { executor, request, of } = anExecutor(TOOLS, ok, { hooks });
    // The second one finds its schema compiled, so nothing has been awaited when its hook runs.
    for (const id of ["first", "second"]) {
      const { result } = await executor.call(request, { id, toolName: "read", arguments: {} });
      expect(result).toMatchObject({ resultType: "failure", cancelledBy: "user" });
    }
    expect(of("tool.running")).toEqual([]);
    expect(executor.states).toEqual([]);
  });

  test("a call that is made inside another one runs in its place", async () => {
    const { executor, request, of } = anExecutor(TOOLS, async (tool, args, context) => {
      if (tool.name !== "write" || context.toolCallId === "inner") return ok(tool, args, context);
      return (await executor.call(request, { id: "inner", toolName: "write", arguments: {} })).result;
    });
    expect((await executor.call(request, { id: "outer", toolName: "write", arguments: {} })).result.resultType).toBe(
      "success",
    );
    expect(of("tool.execution_start").map(({ parentToolCallId }) => parentToolCallId)).toEqual([null, "outer"]);
  });

  test("a call that says which call it belongs to runs in its place, wherever it comes from", async () => {
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let finish = (): void => {};
    const { executor, request, of } = anExecutor(TOOLS, async (tool, args, context) => {
      if (context.toolCallId !== "outer") return ok(tool, args, context);
      begin();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return ok(tool, args, context);
    });
    const outer = executor.call(request, { id: "outer", toolName: "write", arguments: {} });
    await begun;
    const inner = { id: "inner", toolName: "write", arguments: {}, parentId: "outer" };
    expect((await executor.call(request, inner)).result.resultType).toBe("success");
    finish();
    await outer;
    expect(of("tool.execution_start").map(({ parentToolCallId }) => parentToolCallId)).toEqual([null, "outer"]);
    // Its parent has ended: it is a call of its own now, and waits its turn.
    expect((await executor.call(request, inner)).result.resultType).toBe("success");
  });

  test("calls of a source that keeps limits of its own hold no place and are never ended by the clock", async () => {
    const manner = { ...IN_PROCESS, queue: "never", slack: null } as const;
    const finishes: (() => void)[] = [];
    const run: RunTool = async (tool, args, context) => {
      await new Promise<void>((resolve) => finishes.push(resolve));
      return ok(tool, args, context);
    };
    const { executor, request, clock } = anExecutor(TOOLS, run, {}, manner);
    const running = all(executor.execute(request, toParts(calls("write", "write"))));
    await vi.waitFor(() => expect(finishes).toHaveLength(2));
    clock.advance(24 * 3_600_000);
    for (const finish of finishes) finish();
    expect((await running).map(({ result }) => result.resultType)).toEqual(["success", "success"]);
  });

  test("a tool that calls itself without end is stopped, though no time-out is ever looked at", async () => {
    let count = 0;
    const { executor, request } = anExecutor(TOOLS, async () => {
      count += 1;
      return (await executor.call(request, { id: `call ${count}`, toolName: "write", arguments: {} })).result;
    });
    const { result } = await executor.call(request, { id: "outer", toolName: "write", arguments: {} });
    expect(result).toMatchObject({ resultType: "failure", textResultForLlm: expect.stringContaining("did not run") });
    expect(count).toBe(33);
    expect(executor.states).toEqual([]);
  });
});

describe("while the model streams (X6)", () => {
  const call = (id: string, toolName: string): CallPart => ({ type: "call", call: { id, toolName, arguments: {} } });
  const gate = () => {
    let open = (_part: CallPart): void => {};
    const part = new Promise<CallPart>((resolve) => {
      open = resolve;
    });
    return { part, open };
  };

  test("what only reads starts at once, the rest waits for the stop reason, and nothing passes it", async () => {
    const { part, open } = gate();
    const started: string[] = [];
    const { executor, request } = anExecutor(TOOLS, async (tool, args, context) => {
      started.push(context.toolCallId);
      return ok(tool, args, context);
    });
    const results = all(
      executor.execute(request, stream(call("a", "read"), call("b", "write"), call("c", "read"), part)),
    );
    for (let turns = 0; turns < 20; turns += 1) await tick();
    expect(started).toEqual(["a"]);
    open({ type: "stop", confirmed: true });
    expect((await results).map(({ call: { id }, sendToModel }) => [id, sendToModel])).toEqual([
      ["a", true],
      ["b", true],
      ["c", true],
    ]);
    expect(started).toEqual(["a", "b", "c"]);
  });

  test("claims of tools that are not trusted start nothing early, and nothing is asked early", async () => {
    const { part, open } = gate();
    const asked: boolean[] = [];
    const { executor, request } = anExecutor(TOOLS, ok, {
      isTrusted: ({ name }) => name !== "fragile",
      permissions: {
        revision: 1,
        again: neverAgain,
        judge: async (_prepared, { mayAsk }) => {
          asked.push(mayAsk);
          return mayAsk ? ALLOWED : { kind: "open", decision: ALLOWED.decision };
        },
      },
    });
    const results = all(executor.execute(request, stream(call("a", "fragile"), call("b", "read"), part)));
    for (let turns = 0; turns < 20; turns += 1) await tick();
    expect(asked).toEqual([false]);
    open({ type: "stop", confirmed: true });
    await results;
    expect(asked).toEqual([false, true, true]);
  });

  test("a command that only reads starts at once, and what a hook makes of one waits for the stop reason", async () => {
    for (const [command, confirmed] of [
      ["look", true],
      ["change", true],
      ["change", false],
      ["look twice", true],
    ] as const) {
      const { part, open } = gate();
      const started: unknown[] = [];
      const { executor, request } = anExecutor(
        [{ name: "bash", source: "builtin", traits: { hostShell: true } }],
        async (tool, args, context) => {
          started.push(args.command);
          return ok(tool, args, context);
        },
        {
          hooks: {
            pre: () => ({
              ...{ decision: null, reason: null, additionalContext: [], endTurn: false },
              ...(command === "look" ? {} : { updatedInput: { command } }),
            }),
            post: () => ({ additionalContext: [], endTurn: false }),
          },
          permissions: {
            revision: 1,
            again: neverAgain,
            judge: ({ args }) => ({ ...ALLOWED, readOnly: String(args.command).startsWith("look") }),
            onlyReads: async () => true,
          },
        },
      );
      const first = { id: "a", toolName: "bash", arguments: { command: "look" } };
      const results = all(executor.execute(request, stream({ type: "call", call: first }, part)));
      for (let turns = 0; turns < 20; turns += 1) await tick();
      expect(started).toEqual(command === "look" ? ["look"] : []);
      open({ type: "stop", confirmed });
      await results;
      expect(started).toEqual(confirmed ? [command] : []);
    }
  });

  test.each([
    ["refused", stream(call("a", "read"), call("b", "write"), { type: "stop", confirmed: false })],
    ["cut", stream(call("a", "read"), call("b", "write"))],
    [
      "dropped",
      stream(
        call("a", "read"),
        call("b", "write"),
        { type: "dropped", ids: ["a", "b"] },
        { type: "stop", confirmed: true },
      ),
    ],
  ])("calls of a %s stream end as cancelled by refusal, for the log alone", async (_, parts) => {
    const { executor, request, of } = anExecutor(TOOLS, ok);
    const outcomes = await all(executor.execute(request, parts));
    expect(outcomes.map(({ result, sendToModel }) => [result.cancelledBy, sendToModel])).toEqual([
      ["refusal", false],
      ["refusal", false],
    ]);
    expect(of("tool.execution_complete")).toHaveLength(2);
  });

  test("a stream that breaks ends its calls first, and then its error is thrown", async () => {
    const { executor, request } = anExecutor(TOOLS, ok);
    const broken = async function* (): AsyncGenerator<CallPart> {
      yield call("a", "write");
      throw new Error("connection lost");
    };
    const seen: unknown[] = [];
    const read = async () => {
      for await (const { result } of executor.execute(request, broken())) seen.push(result.cancelledBy);
    };
    await expect(read()).rejects.toThrow("connection lost");
    expect(seen).toEqual(["refusal"]);
  });

  test("what cannot be read at all is an error, and nobody waits for it", async () => {
    const { executor, request } = anExecutor(TOOLS, ok);
    const locked: AsyncIterable<CallPart> = {
      [Symbol.asyncIterator]: () => {
        throw new Error("somebody else reads this stream");
      },
    };
    await expect(all(executor.execute(request, locked))).rejects.toThrow("somebody else reads this stream");
  });
});
