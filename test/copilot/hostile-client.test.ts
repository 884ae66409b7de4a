import { execFile } from "node:child_process";
import { on, once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { promisify } from "node:util";
import Database from "libsql";
import { expect, test } from "vitest";
import { whyNotListen } from "../../src/surfaces/copilot/wire/connection-guard.ts";
import { startRuntime } from "../support/copilot-client.ts";
import { needs } from "../support/machine.ts";
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

test("without the token of the connection nothing is answered but one refusal, and nobody guesses on", async () => {
  const { project } = tempWorkspace();
  const runtime = startRuntime(join(project, "home"), project, { COPILOT_CONNECTION_TOKEN: "secret" });
  const port = await runtime.server.listen(0, "127.0.0.1");
  const { connect } = await import("node:net");
  const { openConnection } = await import("../../src/surfaces/copilot/wire/connection.ts");
  const dial = () => {
    const socket = connect(port, "127.0.0.1");
    return openConnection({ input: socket, output: socket, onNote: () => {}, onRequest: () => null });
  };
  for (const [method, params] of [
    ["session.list", {}],
    ["ping", {}],
    ["connect", {}],
    ["connect", { token: "wrong" }],
  ] as const) {
    const guest = dial();
    const refused = guest.request(method, params);
    // In the same breath, as a guessing program would.
    const guessed = guest.request("connect", { token: "secret" });
    await expect(refused).rejects.toThrow("AUTHENTICATION_FAILED");
    await expect(guessed).rejects.toThrow(/lost/);
    await guest.closed;
  }
  const client = dial();
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

test("who has not shown the token hears of no session, and who is attached to none of it sees and changes none", async () => {
  const { project } = tempWorkspace();
  const runtime = startRuntime(join(project, "home"), project, { COPILOT_CONNECTION_TOKEN: "secret" });
  const port = await runtime.server.listen(0, "127.0.0.1");
  const { connect } = await import("node:net");
  const stranger = connect(port, "127.0.0.1");
  let heard = "";
  stranger.on("data", (chunk) => {
    heard += String(chunk);
  });
  const refused = once(stranger, "data");
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: {} });
  stranger.write(`Content-Length: ${text.length}\r\n\r\n${text}`);
  await refused;
  const owner = runtime.connect();
  const other = runtime.connect();
  await owner.request("session.create", { sessionId: "mine", model: "scripted:none" });
  for (const [method, params] of [
    ["getMessages", {}],
    ["send", { prompt: "Do it" }],
    ["shell.exec", { command: "true" }],
    ["permissions.setApproveAll", { enabled: true }],
    ["permissions.pendingRequests", {}],
    ["tools.set", { tools: [] }],
    ["options.update", { workingDirectory: "/" }],
  ] as const)
    await expect(other.request(`session.${method}`, { sessionId: "mine", ...params })).rejects.toThrow(
      "Session not found: mine",
    );
  expect(await owner.request("session.permissions.getMode", { sessionId: "mine" })).toEqual({ mode: "manual" });
  await other.request("session.resume", { sessionId: "mine" });
  expect(await other.request("session.permissions.getMode", { sessionId: "mine" })).toEqual({ mode: "manual" });
  stranger.destroy();
  expect(heard).toContain("AUTHENTICATION_FAILED");
  expect(heard).not.toContain("mine");
});

test("a question is answered as what it is, and a request to a model by the client that carries it", async () => {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies: [{ calls: [{ tool: "look", arguments: {} }] }, "Done."] }));
  const runtime = startRuntime(join(project, "home"), project);
  const client = runtime.connect();
  const session = { sessionId: "s" };
  await client.request("session.create", { ...session, model: `scripted:${script}`, tools: [{ name: "look" }] });
  await client.request("session.send", { ...session, prompt: "Look" });
  const { requestId } = await client.next("permission.requested");
  const approved = { ...session, requestId, result: { kind: "approve-once" } };
  expect(await client.request("session.commands.respondToQueuedCommand", approved)).toEqual({ success: false });
  await client.request("session.commands.handlePendingCommand", approved);
  expect(await client.request("session.ui.handlePendingElicitation", approved)).toEqual({ success: false });
  expect(client.events.some(({ type }) => type === "permission.completed")).toBe(false);
  const other = runtime.connect();
  client.answers.set("llmInference.httpRequestStart", async ({ requestId: carried }) => {
    const forged = { requestId: carried, status: 200, headers: {} };
    expect(await other.request("llmInference.httpResponseStart", forged)).toEqual({ accepted: false });
    const chunk = { requestId: carried, data: "forged", end: true };
    expect(await other.request("llmInference.httpResponseChunk", chunk)).toEqual({ accepted: false });
    await client.request("llmInference.httpResponseStart", { ...forged, status: 418 });
    await client.request("llmInference.httpResponseChunk", { ...chunk, data: "" });
    return {};
  });
  client.answers.set("llmInference.httpRequestChunk", () => ({}));
  await client.request("llmInference.setProvider");
  await expect(other.request("llmInference.setProvider")).rejects.toThrow("another client");
  const carried = { sessionId: "c", model: "m", provider: { baseUrl: "http://127.0.0.1:9", apiKey: "k" } };
  await client.request("session.create", carried);
  await client.request("session.send", { sessionId: "c", prompt: "Hi" });
  expect((await client.next("session.error")).message).toContain("418");
});

test("clients that take up one stored session at the same time are all attached to it", async () => {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies: ["One.", "Two."] }));
  const runtime = startRuntime(join(project, "home"), project);
  const first = runtime.connect();
  const session = { sessionId: "s", model: `scripted:${script}` };
  const created = await Promise.allSettled([1, 2].map(() => first.request("session.create", session)));
  expect(created.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  await first.request("session.send", { sessionId: "s", prompt: "Hi" });
  await first.next("session.idle");
  await first.request("session.detach", { sessionId: "s" });
  const clients = [runtime.connect(), runtime.connect(), runtime.connect()];
  await Promise.all(clients.map((client) => client.request("session.resume", session)));
  await clients[0]?.request("session.send", { sessionId: "s", prompt: "Again" });
  for (const client of clients) expect((await client.next("user.message")).content).toBe("Again");
});

test("nobody's machine but this one is listened to without a token, and this one only where users are known", async () => {
  const { project } = tempWorkspace();
  await expect(startRuntime(join(project, "home"), project).server.listen(0, "0.0.0.0")).rejects.toThrow(
    "COPILOT_CONNECTION_TOKEN",
  );
  expect(whyNotListen("127.0.0.1", null, false)).toContain("set COPILOT_CONNECTION_TOKEN");
  expect([whyNotListen("127.0.0.1", null, true), whyNotListen("0.0.0.0", "secret", false)]).toEqual([null, null]);
});

/** Runs a command as any program that connects to the port, if it is let; prints what it is answered until it is sent away. */
const INTRUDER = `
const socket = require("node:net").connect(Number(process.argv[1]), process.argv[2]);
const send = (id, method, params) => {
  const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  socket.write("Content-Length: " + text.length + "\\r\\n\\r\\n" + text);
};
send(1, "session.create", { sessionId: "s", model: "scripted:none" });
socket.on("data", (bytes) => {
  process.stdout.write(bytes);
  const command = "id > " + process.argv[3];
  if (String(bytes).includes('"id":1')) send(2, "session.shell.exec", { sessionId: "s", command });
  if (String(bytes).includes('"id":2')) socket.end();
});
socket.on("error", () => {}).on("close", () => process.exit());
`;

test(
  "another user of the machine gets nowhere over TCP, however it reaches the port, and its own user does",
  needs("setpriv"),
  async () => {
    const { project } = tempWorkspace();
    const mark = join(project, "intruded");
    for (const [host, to] of [
      ["127.0.0.1", "127.0.0.1"],
      ["localhost", "localhost"],
    ] as const) {
      const listening = startRuntime(join(project, host), project);
      const port = await listening.server.listen(0, host);
      const run = promisify(execFile);
      const script = ["-e", INTRUDER, String(port), to, mark];
      const as = ["--reuid=47110", "--regid=47110", "--clear-groups", process.execPath, ...script];
      const { stdout } = await run("setpriv", as, { cwd: "/" });
      expect(stdout).toContain("AUTHENTICATION_FAILED: without a token this runtime serves processes of its own user");
      expect(stdout).not.toContain('"id":2');
      expect(existsSync(mark)).toBe(false);
      expect(listening.notes.join()).toContain("no process of this user");
      const own = await run(process.execPath, script, { cwd: "/" });
      expect(own.stdout).toContain('"id":2');
      await expect.poll(() => existsSync(mark)).toBe(true);
      rmSync(mark);
    }
  },
);

test("requests that share an id count each, so that not more than so many are open", async () => {
  const runtime = start();
  const input = new PassThrough();
  const output = new PassThrough();
  runtime.server.serve(input, output);
  const write = (method: string, params: object, times = 1) => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    input.write(`Content-Length: ${text.length}\r\n\r\n${text}`.repeat(times));
  };
  const heard = async (text: string) => {
    for await (const [chunk] of on(output, "data")) if (String(chunk).includes(text)) return;
  };
  write("session.create", { sessionId: "s" });
  await heard("workspacePath");
  write("session.eventLog.read", { sessionId: "s", cursor: "9", waitMs: 60_000 }, 1_001);
  await heard("1000 requests are open already");
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

test("a store that fails once a turn is over is reported, and the next message is answered", async () => {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies: [{ text: "One." }, { text: "Two." }] }));
  const home = join(project, "home");
  const client = startRuntime(home, project).connect();
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}` });
  const other = new Database(join(home, "toolcrib-sessions.db"));
  other.exec(
    "CREATE TRIGGER full BEFORE INSERT ON shelf WHEN NEW.name = 'copilot-sessions' BEGIN SELECT RAISE(ABORT, 'no room'); END",
  );
  other.close();
  const prompts = ["First", "Second"].map((prompt) => client.request("session.send", { sessionId: "s", prompt }));
  await Promise.all(prompts);
  await client.next("session.idle");
  const said = client.events.filter(({ type }) => type === "assistant.message");
  expect(said.map(({ data }) => data.content)).toEqual(["One.", "Two."]);
  expect((await client.next("session.error")).message).toContain("no room");
});
