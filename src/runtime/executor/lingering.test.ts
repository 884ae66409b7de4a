import { expect, test } from "vitest";
import { anExecutor, type Harness, type RunTool } from "../../../test/support/executor-harness.ts";

const TOOLS = [
  { name: "write", traits: {} },
  { name: "read", traits: { readOnly: true } },
];
const tick = () => new Promise<void>((resolve) => setImmediate(resolve));
/** Long enough for whatever may start to have started. */
const settle = async () => {
  for (let turn = 0; turn < 20; turn += 1) await tick();
};
/** The first call loads what checks arguments, which takes its time. */
const until = async (isSo: () => boolean) => {
  while (!isSo()) await tick();
};

/** Calls that end when the test says so, whatever their signal says. */
function deaf(keys: Readonly<Record<string, string>> = {}) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run: RunTool = async (_tool, _args, { toolCallId }) => {
    started.push(toolCallId);
    await new Promise<void>((resolve) => void ends.set(toolCallId, resolve));
    return { textResultForLlm: "late", resultType: "success" };
  };
  const harness = anExecutor(TOOLS, run, {
    accessOf: ({ tool, call }) => {
      const key = keys[call.id];
      return { exclusive: !tool.traits.readOnly, keys: key === undefined ? null : [key] };
    },
  });
  const call = (id: string, toolName: string, signal?: AbortSignal) =>
    harness.executor.call(harness.request, { id, toolName, arguments: {} }, signal === undefined ? {} : { signal });
  return { ...harness, started, call, end: (id: string) => ends.get(id)?.() };
}

const warnings = ({ events }: Pick<Harness, "events">) =>
  events.filter(({ name }) => (name as string) === "session.warning").map(({ data }) => data);

test("a handler that ignores its signal has its result at once, keeps its place, and is told about", async () => {
  const harness = deaf();
  const { executor, call, clock, started, end } = harness;
  const stop = new AbortController();
  const first = call("a", "write", stop.signal);
  await until(() => started.length === 1);
  stop.abort();
  expect((await first).result).toMatchObject({ cancelledBy: "user" });
  expect(executor.states).toMatchObject([{ kind: "lingering", call: { id: "a" } }]);
  const second = call("b", "write");
  await settle();
  expect(warnings(harness)).toEqual([]);
  clock.advance(1_000);
  await settle();
  expect(warnings(harness)).toMatchObject([{ code: "call.lingering", names: ["write"] }]);
  expect(started).toEqual(["a"]);
  end("a");
  await settle();
  expect([started, executor.states.map(({ kind }) => kind)]).toEqual([["a", "b"], ["running"]]);
  end("b");
  expect((await second).result.resultType).toBe("success");
  expect(executor.states).toEqual([]);
});

test("it holds back only what shares a key with it", async () => {
  const { call, clock, started, end } = deaf({ a: "x", b: "x", c: "y" });
  const stop = new AbortController();
  const first = call("a", "write", stop.signal);
  await until(() => started.length === 1);
  stop.abort();
  await first;
  clock.advance(1_000);
  const other = call("c", "write");
  await settle();
  expect(started).toEqual(["a", "c"]);
  end("c");
  await other;
  const same = call("b", "write");
  await settle();
  expect(started).toEqual(["a", "c"]);
  end("a");
  await settle();
  end("b");
  expect((await same).result.resultType).toBe("success");
});

test("readers that ignore their signal take no places away from others", async () => {
  const { call, clock, started } = deaf();
  const stop = new AbortController();
  const ids = Array.from({ length: 10 }, (_, at) => `r${at}`);
  const all = ids.map((id) => call(id, "read", stop.signal));
  await until(() => started.length === 10);
  stop.abort();
  await Promise.all(all);
  void call("next", "read");
  await settle();
  expect(started).not.toContain("next");
  clock.advance(1_000);
  await settle();
  expect(started).toContain("next");
});

test("what waits behind one that never lets go ends too, and says that it did not start", async () => {
  const { call, clock, started } = deaf();
  const stop = new AbortController();
  const first = call("a", "write", stop.signal);
  await until(() => started.length === 1);
  stop.abort();
  await first;
  clock.advance(1_000);
  const second = call("b", "write");
  await settle();
  clock.advance(120_000);
  expect((await second).result).toMatchObject({
    resultType: "timeout",
    cancelledBy: "timeout",
    textResultForLlm: expect.stringContaining("did not start"),
  });
  expect(started).toEqual(["a"]);
});

test("a call that merely waits for a long one is not given up", async () => {
  const { call, clock, started, end } = deaf();
  const first = call("a", "write");
  await until(() => started.length === 1);
  const second = call("b", "write");
  await settle();
  clock.advance(119_000);
  await settle();
  end("a");
  await first;
  await settle();
  expect(started).toEqual(["a", "b"]);
  end("b");
  expect((await second).result.resultType).toBe("success");
});

test("a call made inside another keeps that one's place until it has left it", async () => {
  const started: string[] = [];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let harness: Harness | null = null;
  const made = anExecutor(TOOLS, async (_tool, _args, { toolCallId }) => {
    started.push(toolCallId);
    // Nobody awaits the inner call, so the outer one ends before it.
    if (toolCallId === "outer")
      void harness?.executor.call(harness.request, { id: "inner", toolName: "write", arguments: {} });
    if (toolCallId === "outer") while (!started.includes("inner")) await tick();
    if (toolCallId === "inner") await ended;
    return { textResultForLlm: "done", resultType: "success" };
  });
  harness = made;
  const { executor, request } = made;
  await executor.call(request, { id: "outer", toolName: "write", arguments: {} });
  const next = executor.call(request, { id: "next", toolName: "write", arguments: {} });
  await settle();
  expect(started).toEqual(["outer", "inner"]);
  end();
  await next;
  expect(started).toEqual(["outer", "inner", "next"]);
});
