import { expect, test } from "vitest";
import { createScriptedModel, type ScriptedReply } from "../models/scripted-model.ts";
import { createSession } from "../session/library.ts";
import type { SessionOptions } from "../session/options/session-options.ts";

function open(replies: readonly ScriptedReply[], options: SessionOptions) {
  return createSession({ allowNoTools: true, modelClient: createScriptedModel({ replies }), ...options });
}

async function saidBy(session: Awaited<ReturnType<typeof open>>): Promise<readonly string[]> {
  return (await session.history()).flatMap((message) =>
    message.role === "user" ? message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
  );
}

test("a hook may change a prompt and add to it before anybody stores it", async () => {
  const hooks = { onUserPromptSubmitted: () => ({ modifiedPrompt: "changed", additionalContext: "by the way" }) };
  await using session = await open([{ text: "ok" }], { hooks });
  await session.run("as it was");
  expect(await saidBy(session)).toEqual(["changed", "by the way"]);
});

test("a prompt that a hook blocks reaches no model and no history", async () => {
  const hooks = { onUserPromptSubmitted: () => ({ decision: "block", reason: "not here" }) as const };
  await using session = await open([], { hooks });
  const told: string[] = [];
  session.on("session.warning", ({ text }) => told.push(text));
  expect(await session.run("secret")).toMatchObject({ stopReason: "rejected" });
  expect(told).toEqual(["not here"]);
  expect(await saidBy(session)).toEqual([]);
});

test("a hook sends a model on that wants to stop, and is told when it has done so before", async () => {
  const asked: boolean[] = [];
  const hooks = {
    onAgentStop: ({ stop_hook_active }: { stop_hook_active: boolean }) => {
      asked.push(stop_hook_active);
      return stop_hook_active ? null : ({ decision: "block", reason: "Run the tests too." } as const);
    },
  };
  await using session = await open([{ text: "done" }, { text: "really done" }], { hooks });
  expect(await session.run("fix it")).toMatchObject({ stopReason: "end", text: "really done" });
  expect(asked).toEqual([false, true]);
  expect(await saidBy(session)).toEqual(["fix it", "Run the tests too."]);
});

test("a hook that never lets go is given up after ten times", async () => {
  const hooks = { onAgentStop: () => ({ decision: "block", reason: "more" }) as const };
  await using session = await open(
    Array.from({ length: 20 }, (_, at) => ({ text: `reply ${at + 1}` })),
    { hooks },
  );
  expect(await session.run("go")).toMatchObject({ stopReason: "end", text: "reply 11" });
});

test("a hook may have a failed run made again", async () => {
  let failures = 0;
  const hooks = {
    onErrorOccurred: () => {
      failures += 1;
      return { errorHandling: "retry" } as const;
    },
  };
  await using session = await open([{ error: { status: 403, message: "no" } }, { text: "now" }], { hooks });
  expect(await session.run("go")).toMatchObject({ stopReason: "end", text: "now" });
  expect(failures).toBe(1);
});
