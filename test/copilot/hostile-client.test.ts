import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { expect, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

function start() {
  const { project } = tempWorkspace();
  return startRuntime(join(project, "home"), project);
}

test.each([
  ["announces a gigabyte", `Content-Length: ${2 ** 30}\r\n\r\n{`],
  ["announces no number", "Content-Length: many\r\n\r\n{}"],
  ["writes a header without an end", "x".repeat(10_000)],
])("a client that %s is cut off, and others go on", async (_what, bytes) => {
  const runtime = start();
  const good = runtime.connect();
  const input = new PassThrough();
  const { closed } = runtime.server.serve(input, new PassThrough());
  input.write(bytes);
  await closed;
  expect(runtime.notes.join()).toContain("was cut off");
  expect(await good.request("ping", { message: "still here" })).toMatchObject({ message: "pong: still here" });
});

test("half a message is waited for, and holds nobody up", async () => {
  const runtime = start();
  const input = new PassThrough();
  runtime.server.serve(input, new PassThrough());
  input.write('Content-Length: 100\r\n\r\n{"jsonrpc"');
  expect(await runtime.connect().request("ping")).toMatchObject({ protocolVersion: 3 });
});

test("a client that never reads is cut off once too much waits for it", async () => {
  const runtime = start();
  const input = new PassThrough();
  const deaf = new Writable({ write: () => {} });
  const { closed } = runtime.server.serve(input, deaf);
  const message = "x".repeat(8 * 1024 * 1024);
  for (let id = 1; id <= 6; id += 1) {
    const text = JSON.stringify({ jsonrpc: "2.0", id, method: "ping", params: { message } });
    input.write(`Content-Length: ${text.length}\r\n\r\n${text}`);
  }
  await closed;
  expect(runtime.notes.join()).toContain("does not read");
});

test("methods that nobody knows are refused as such, and sessions that are not there by name", async () => {
  const client = start().connect();
  await expect(client.request("session.canvas.open", {})).rejects.toThrow("Unhandled method session.canvas.open");
  await expect(client.request("session.send", { sessionId: "none", prompt: "x" })).rejects.toThrow(
    "Session not found: none",
  );
});

test("an answer counts only for the session that asked", async () => {
  const client = start().connect();
  await client.request("session.create", { sessionId: "one" });
  await client.request("session.create", { sessionId: "two" });
  const answer = { requestId: "made-up", result: { kind: "approve-once" } };
  const method = "session.permissions.handlePendingPermissionRequest";
  expect(await client.request(method, { sessionId: "two", ...answer })).toEqual({ success: false });
});

test("without the token of the connection nothing is answered", async () => {
  const { project } = tempWorkspace();
  const runtime = startRuntime(join(project, "home"), project, { COPILOT_CONNECTION_TOKEN: "secret" });
  const port = await runtime.server.listen(0, "127.0.0.1");
  const { connect } = await import("node:net");
  const { openConnection } = await import("../../src/surfaces/copilot/connection.ts");
  const socket = connect(port, "127.0.0.1");
  const client = openConnection({ input: socket, output: socket, onNote: () => {}, onRequest: () => null });
  await expect(client.request("session.list", {})).rejects.toThrow("AUTHENTICATION_FAILED");
  await expect(client.request("connect", { token: "wrong" })).rejects.toThrow("AUTHENTICATION_FAILED");
  expect(await client.request("connect", { token: "secret" })).toMatchObject({ ok: true });
  const long = "x".repeat(100_000);
  expect(await client.request("ping", { message: long })).toMatchObject({ message: `pong: ${long}` });
  client.cut(null);
  const stranger = connect(port, "127.0.0.1");
  stranger.write(`Content-Length: ${60 * 1024 * 1024}\r\n\r\n${long}`);
  stranger.on("error", () => {});
  await once(stranger, "close");
  expect(runtime.notes.join()).toContain("before it showed its token");
});

test("requests that share an id count each, so that not more than so many are open", async () => {
  const runtime = start();
  await runtime.connect().request("session.create", { sessionId: "s" });
  const input = new PassThrough();
  const output = new PassThrough();
  runtime.server.serve(input, output);
  const params = { sessionId: "s", cursor: "9", waitMs: 60_000 };
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session.eventLog.read", params });
  input.write(`Content-Length: ${text.length}\r\n\r\n${text}`.repeat(1_001));
  const [chunk] = await once(output, "data");
  expect(String(chunk)).toContain("1000 requests are open already");
  await runtime.server.close();
});

test.each(["..", "../../../kept", "/", "."])(
  "a session with the id %j has a folder of its own, and no other is deleted with it",
  async (sessionId) => {
    const { project } = tempWorkspace();
    const home = join(project, "home");
    await mkdir(join(home, "session-state"), { recursive: true });
    await writeFile(join(home, "kept"), "");
    await writeFile(join(project, "kept"), "");
    const client = startRuntime(home, project).connect();
    // Some ids are refused, which is as good.
    await client.request("session.create", { sessionId }).catch(() => null);
    await client.request("session.plan.update", { sessionId, content: "A plan" }).catch(() => null);
    expect(existsSync(join(home, "plan.md"))).toBe(false);
    await client.request("session.delete", { sessionId }).catch(() => null);
    expect([join(home, "kept"), join(project, "kept"), join(home, "session-state")].every(existsSync)).toBe(true);
  },
);
