import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../core/tool/define-tool.ts";
import { createScriptedModel, type Script } from "../models/scripted-model.ts";
import { createSession } from "../session/create-session.ts";

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
