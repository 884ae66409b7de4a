import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import type { HistoryMessage } from "../../core/call/message.ts";
import { defineTool } from "../../core/tool/define-tool.ts";
import { createDeferred } from "../../system/time/deferred.ts";
import { ModelError } from "../models/model-error.ts";
import { createScriptedModel, type Script } from "../models/scripted-model.ts";
import { createSession } from "../session/library.ts";
import type { Run } from "./run-types.ts";

const add = defineTool("add", {
  description: "Adds two numbers",
  parameters: z.object({ a: z.number(), b: z.number() }),
  handler: ({ a, b }) => String(a + b),
});

async function open(script: Script, options = {}) {
  return createSession({ tools: [add], modelClient: createScriptedModel(script), ...options });
}

test("a run asks, runs the calls, and ends with what the model says last (T2)", async () => {
  await using session = await open({
    replies: [{ text: "I add.", calls: [{ tool: "add", arguments: { a: 2, b: 3 } }] }, { text: "It is 5." }],
  });
  const types: string[] = [];
  const run = session.run("What is 2 + 3?");
  for await (const { type } of run) types.push(type);
  const end = await run;
  expect(end).toMatchObject({ stopReason: "end", text: "It is 5.", totals: { turns: 2 } });
  expect(types.filter((type) => !type.endsWith("_delta"))).toEqual([
    "user.message",
    "assistant.turn_start",
    "assistant.message",
    "tool.execution_start",
    "permission.completed",
    "tool.running",
    "tool.execution_complete",
    "tool.answers",
    "assistant.turn_end",
    "assistant.usage",
    "assistant.turn_start",
    "assistant.message",
    "assistant.turn_end",
    "assistant.usage",
    "session.idle",
  ]);
  expect((await session.history()).map(({ role }) => role)).toEqual(["user", "assistant", "answers", "assistant"]);
});

test("what passes is asked again, and a reply that broke off leaves nothing behind (T3)", async () => {
  await using session = await open({
    replies: [
      { error: { status: 529, message: "overloaded", retryAfter: 1 } },
      { text: "half", calls: [{ tool: "add", arguments: { a: 1, b: 1 } }], cut: true },
      { text: "whole" },
    ],
  });
  const retries: string[] = [];
  session.on("assistant.retry", ({ message }) => retries.push(message));
  const ran: string[] = [];
  session.on("tool.running", ({ toolCallId }) => ran.push(toolCallId));
  expect(await session.run("go")).toMatchObject({ stopReason: "end", text: "whole" });
  expect(retries).toEqual(["scripted answered 529: overloaded", "scripted broke off"]);
  expect(ran).toEqual([]);
  expect((await session.history()).map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("an error of the request ends the run with the provider's words (T3)", async () => {
  await using session = await open({ replies: [{ error: { status: 401, message: "invalid key" } }] });
  const told: unknown[] = [];
  session.on("session.error", (data) => told.push(data));
  await expect(async () => await session.run("go")).rejects.toThrow("scripted answered 401: invalid key");
  expect(told).toEqual([{ message: "scripted answered 401: invalid key", status: 401 }]);
});

test("a loop over the events throws what await throws, after the last event", async () => {
  await using session = await open({ replies: [{ error: { status: 401, message: "invalid key" } }, { text: "fine" }] });
  const types: string[] = [];
  const loop = async (run: Run) => {
    for await (const { type } of run) types.push(type);
  };
  const failed = session.run("go");
  await expect(loop(failed)).rejects.toBeInstanceOf(ModelError);
  expect(types.slice(-2)).toEqual(["session.error", "session.idle"]);
  await expect(loop(failed), "a late reader learns it too").rejects.toThrow("scripted answered 401: invalid key");
  await expect(loop(session.run("again"))).resolves.toBeUndefined();
});

test("one run at a time: a second waits, and what is sent at once joins the first at its next request (T1)", async () => {
  const { promise: entered, resolve: enter } = createDeferred<void>();
  const { promise: gate, resolve: leave } = createDeferred<void>();
  const wait = defineTool("wait", {
    description: "Waits",
    parameters: z.object({}),
    handler: async () => {
      enter();
      await gate;
      return "waited";
    },
  });
  await using session = await open(
    { replies: [{ calls: [{ tool: "wait" }] }, { text: "first" }, { text: "second" }] },
    { tools: [wait] },
  );
  const first = session.run("one");
  const second = session.run("two");
  await entered;
  session.send("by the way", { mode: "immediate" });
  await new Promise((resolve) => setImmediate(resolve));
  leave();
  expect((await first).text).toBe("first");
  expect((await second).text).toBe("second");
  const said = (await session.history()).map((message) =>
    message.role === "user"
      ? message.content.map((part) => (part.type === "text" ? part.text : "")).join()
      : message.role,
  );
  expect(said).toEqual(["one", "assistant", "answers", "by the way", "assistant", "two", "assistant"]);
});

test("near the end of the context older messages become a summary, and no call loses its answer (T5)", async () => {
  const long = "x".repeat(40_000);
  const call = { calls: [{ tool: "add", arguments: { a: 1, b: 1 } }] };
  await using session = await open(
    {
      replies: [
        ...Array.from({ length: 4 }, () => ({ ...call, text: long })),
        { text: "what happened so far" },
        { text: "done" },
      ],
    },
    { model: "small", models: { small: { contextWindow: 45_000 } } },
  );
  const told: unknown[] = [];
  session.on("session.compaction_complete", ({ success, trigger }) => told.push([success, trigger]));
  expect(await session.run("begin")).toMatchObject({ stopReason: "end", text: "done" });
  expect(told).toEqual([[true, "threshold"]]);
  const history = await session.history();
  expect(JSON.stringify(history[0])).toContain("what happened so far");
  expect(JSON.stringify(history[0])).toContain("begin");
  expectPaired(history);
});

test("where no summary can be had, the results of old calls go (T5)", async () => {
  const long = "x".repeat(40_000);
  const call = { calls: [{ tool: "add", arguments: { a: 1, b: 1 } }], text: long };
  await using session = await open(
    { replies: [call, call, call, call, { error: { status: 400, message: "no" } }, { text: "done" }] },
    { model: "small", models: { small: { contextWindow: 45_000 } } },
  );
  expect(await session.run("begin")).toMatchObject({ stopReason: "end", text: "done" });
  const history = await session.history();
  expect(JSON.stringify(history)).toContain("[This result was dropped to make room.]");
  expectPaired(history);
});

function expectPaired(history: readonly HistoryMessage[]): void {
  for (const [at, message] of history.entries()) {
    const calls =
      message.role === "assistant"
        ? message.content.flatMap((part) => (part.type === "call" ? [part.call.id] : []))
        : [];
    const next = history[at + 1];
    const answered = next?.role === "answers" ? next.answers.map(({ call }) => call.id) : [];
    if (message.role === "assistant") expect(answered).toEqual(calls);
  }
}

test("the first run waits for servers that start, so that the model sees their tools", async () => {
  const file = fileURLToPath(new URL("../../../test/fixtures/echo-server.cjs", import.meta.url));
  const calls = [{ tool: "it__echo", arguments: { text: "hello" } }];
  await using session = await createSession({
    mcpServers: { it: { command: process.execPath, args: [file] } },
    permissions: { allow: ["it/*"] },
    modelClient: createScriptedModel({ replies: [{ calls }, "Said."] }),
  });
  const heard: [string, string | null][] = [];
  session.on("tool.execution_complete", ({ content }, { agent }) => heard.push([content, agent]));
  expect(await session.run("Say hello")).toMatchObject({ stopReason: "end", text: "Said." });
  expect(heard).toEqual([["hello", null]]);
});

test("a run can be caught and followed like any promise", async () => {
  const error = { status: 400, message: "no" };
  await using session = await createSession({ modelClient: createScriptedModel({ replies: [{ error }, "Yes."] }) });
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  expect(await session.run("x").catch(({ message }) => message)).toBe("scripted answered 400: no");
  expect(await session.run("x").finally(over)).toMatchObject({ text: "Yes." });
  expect(isOver).toBe(true);
});

test("a run says what is wrong with its options, and that its session is closed", async () => {
  const session = await open({ replies: ["Never said."] });
  const wrong: [object, string][] = [
    [{ limit: { turns: 1 } }, 'run: unknown key "limit"; did you mean "limits"?'],
    [{ limits: { turn: 1 } }, 'run limits: unknown key "turn"; did you mean "turns"?'],
    [{ limits: { cost: "1" } }, "run limits: cost must be a number that is not below 0; found"],
    [{ limits: { tokens: -1 } }, "run limits: tokens must be a number that is not below 0; found"],
  ];
  for (const [options, text] of wrong) expect(() => session.run("x", options)).toThrow(text);
  await session.close();
  expect(() => session.run("x")).toThrow("the session is closed; open another one");
});
