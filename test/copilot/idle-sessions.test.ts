import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFlags } from "../../src/surfaces/copilot/wire/flags.ts";
import { startRuntime } from "../support/copilot-client.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const TOOL = { name: "pay", description: "Pays", parameters: { type: "object" }, skipPermission: true };

async function begin(replies: readonly object[]) {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies }));
  const clock = createFakeClock();
  const runtime = startRuntime(join(project, "home"), project, {}, clock, { idleTimeout: 5_000 });
  const client = runtime.connect();
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}`, tools: [TOOL] });
  return { runtime, client, clock };
}

test("a session that nobody uses ends after the time that was set, and can be taken up again", async () => {
  const { client, clock } = await begin([{ text: "One." }]);
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "One" });
  clock.advance(4_000);
  await client.request("session.mode.get", { sessionId: "s" });
  clock.advance(4_000);
  await client.request("session.mode.get", { sessionId: "s" });
  clock.advance(5_000);
  expect(await client.next("session.shutdown")).toMatchObject({ shutdownType: "routine" });
  await expect
    .poll(() => client.request("session.mode.get", { sessionId: "s" }).catch(({ message }) => message))
    .toBe("Session not found: s");
  expect(await client.request("session.resume", { sessionId: "s" })).toMatchObject({ sessionId: "s" });
});

test("a turn that somebody waits for goes on, and ends once its client left it to nobody", async () => {
  const { runtime, client, clock } = await begin([{ calls: [{ tool: "pay", arguments: {} }] }, { text: "Paid." }]);
  await client.request("session.send", { sessionId: "s", prompt: "Pay" });
  await client.next("external_tool.requested");
  clock.advance(20_000);
  expect(await client.request("session.metadata.isProcessing", { sessionId: "s" })).toEqual({ processing: true });
  client.close();
  const other = runtime.connect();
  const inUse = async () => (await other.request("sessions.checkInUse", { sessionIds: ["s"] })).inUse;
  await other.request("ping");
  clock.advance(5_000);
  await expect.poll(inUse).toEqual([]);
});

test("flags say how long sessions may be idle and how much is said", () => {
  const client = (...more: string[]) => readFlags(["--headless", "--stdio", ...more]);
  expect(client("--session-idle-timeout", "30", "--log-level", "error")).toMatchObject({
    idleTimeout: 30_000,
    logLevel: "error",
  });
  expect(client("--session-idle-timeout=0", "--log-level", "shout")).toMatchObject({
    idleTimeout: null,
    logLevel: "info",
  });
  expect(readFlags(["--log-level", "shout"])).toEqual({ problem: expect.stringContaining("none, error, warning") });
});

test("the log level decides what reaches standard error", async () => {
  for (const [logLevel, wanted] of [
    ["none", []],
    ["error", []],
    ["info", [expect.stringContaining("was cut off")]],
  ] as const) {
    const { project } = tempWorkspace();
    const runtime = startRuntime(join(project, "home"), project, {}, undefined, { logLevel });
    const client = runtime.connect();
    client.sendRaw("Content-Length: 99999999999\r\n\r\n");
    await client.closed;
    expect(runtime.notes).toEqual(wanted);
  }
});
