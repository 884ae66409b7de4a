import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createSession, type Session } from "./create-session.ts";
import type { SessionEvent } from "./events.ts";
import type { SessionOptions } from "./session-options.ts";

const EXTENSION = {
  name: "it",
  command: process.execPath,
  args: [fileURLToPath(new URL("../../../test/fixtures/extension.mjs", import.meta.url))],
};

async function start(options: SessionOptions): Promise<{ session: Session; heard: SessionEvent[] }> {
  const session = await createSession({ workspace: null, builtins: "all", ...options });
  onTestFinished(() => session.close());
  const heard: SessionEvent[] = [];
  session.on("*", (event) => heard.push(event));
  return { session, heard };
}

const externalOnes = (heard: readonly SessionEvent[]) =>
  heard.filter(({ type }) => type.startsWith("external_tool.")).map(({ type }) => type);

test("listeners to everything hear a request before its end, also when another listener answers at once", async () => {
  const { session, heard } = await start({
    tools: [{ name: "remote", description: "Answered elsewhere", skipPermission: true }],
  });
  session.on("external_tool.requested", ({ requestId }) => void session.answer(requestId, "done"));
  expect(await session.call("remote")).toMatchObject({ textResultForLlm: "done" });
  expect(externalOnes(heard)).toEqual(["external_tool.requested", "external_tool.completed"]);
});

test("a listener that throws while another event waits keeps nobody from hearing that one", async () => {
  const { session, heard } = await start({
    tools: [{ name: "remote", description: "Answered elsewhere", skipPermission: true }],
  });
  session.on("external_tool.requested", ({ requestId }) => {
    session.answer(requestId, "done");
    throw new Error("too late");
  });
  expect(await session.call("remote")).toMatchObject({ textResultForLlm: "done" });
  expect(externalOnes(heard)).toEqual(["external_tool.requested", "external_tool.completed"]);
});

test("calls that an extension answers are announced like those of other external tools", async () => {
  const { session, heard } = await start({ extensions: [EXTENSION], permissions: { allow: ["echo", "hang"] } });
  await session.settled();
  await session.call("echo", { n: 1 }, { id: "c1" });
  const about = { owner: { kind: "extension", name: "it" }, toolCallId: "c1", toolName: "echo" };
  const requestId = expect.any(String);
  expect(heard.filter(({ type }) => type.startsWith("external_tool."))).toEqual([
    {
      type: "external_tool.requested",
      ephemeral: false,
      data: { ...about, requestId, sessionId: session.id, arguments: { n: 1 } },
    },
    { type: "external_tool.completed", ephemeral: false, data: { ...about, requestId, resultType: "success" } },
  ]);
  const cancel = new AbortController();
  session.on("external_tool.requested", () => cancel.abort());
  await session.call("hang", {}, { id: "c2", signal: cancel.signal });
  expect(heard.at(-1)).toMatchObject({ type: "tool.execution_complete" });
  expect(externalOnes(heard)).toHaveLength(4);
});

test("a run on autopilot says that its task is done, with its summary", async () => {
  const { session, heard } = await start({ mode: "autopilot" });
  expect(await session.call("task_complete", { summary: "It works." })).toMatchObject({ resultType: "success" });
  expect(heard).toContainEqual({
    type: "session.task_complete",
    ephemeral: false,
    data: { summary: "It works." },
  });
});
