import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { SessionEvent } from "../../../core/events/envelope.ts";
import { ownSurroundings } from "../../../system/surroundings.ts";
import { SYSTEM_CLOCK } from "../../../system/time/clock.ts";
import { createSessionIn } from "../create-session.ts";
import { createSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";
import type { Session } from "../public-session.ts";

const EXTENSION = {
  name: "it",
  command: process.execPath,
  args: [fileURLToPath(new URL("../../../../test/fixtures/extension.mjs", import.meta.url))],
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
  expect(heard.filter(({ type }) => type.startsWith("external_tool."))).toMatchObject([
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
  expect(heard).toContainEqual(
    expect.objectContaining({ type: "session.task_complete", ephemeral: false, data: { summary: "It works." } }),
  );
});

test("each event has an envelope: stored ones are numbered and name the one before, passing ones are not counted (E4, S1)", async () => {
  const remote = { name: "remote", description: "Answered elsewhere", skipPermission: true };
  const { session, heard } = await start({ tools: [remote] });
  session.on("external_tool.requested", ({ requestId }) => {
    session.on("session.tools_updated", () => session.answer(requestId, "done"));
    session.setTools("host", [remote, { name: "more", description: "New meanwhile" }]);
  });
  const before = Date.now();
  await session.call("remote");
  const calls = heard.filter(({ type }) => type.startsWith("tool.") || type.startsWith("permission."));
  expect(heard.findLastIndex(({ type }) => type === "session.tools_updated")).toBeGreaterThan(0);
  const stored = heard.filter(({ ephemeral }) => !ephemeral);
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, at) => (stored[0]?.seq ?? 0) + at));
  for (const [at, event] of heard.entries()) {
    const last = heard.slice(0, at).findLast(({ ephemeral }) => !ephemeral);
    if (last !== undefined) expect(event.parent).toBe(last.id);
    if (last !== undefined && event.ephemeral) expect(event.seq).toBe(last.seq);
    expect(event.agent).toBeNull();
  }
  expect(calls.every(({ at }) => at >= before && at <= Date.now())).toBe(true);
  expect(new Set(heard.map(({ id }) => id)).size).toBe(heard.length);
});

test("with the same time and chance, two sessions tell the very same (S1)", async () => {
  const run = async () => {
    let [ids, now] = [0, 1_000];
    const surroundings = {
      ...ownSurroundings(),
      newId: () => `id-${++ids}`,
      today: () => ++now,
      clock: { ...SYSTEM_CLOCK, now: () => now },
      env: { PATH: process.env.PATH, HOME: "/nowhere" },
    };
    const heard: SessionEvent[] = [];
    const tools = [{ name: "remote", description: "Answered elsewhere" }];
    const session = await createSessionIn(surroundings, { workspace: null, tools });
    session.on("*", (event) => heard.push(event));
    session.on("external_tool.requested", ({ requestId }) => void session.answer(requestId, "done"));
    await session.call("remote");
    await session.close();
    return { id: session.id, heard: heard.filter(({ type }) => type !== "session.tools_updated") };
  };
  const first = await run();
  expect(first.heard.length).toBeGreaterThan(3);
  expect(await run()).toEqual(first);
});
