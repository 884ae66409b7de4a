import { existsSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { ensureBuilt, startCli } from "../support/built-cli.ts";
import { auditedCalls, createMachine } from "../support/run-cli.ts";

beforeAll(ensureBuilt, 120_000);

const SCRIPT = `replies:
  - thinking: A file is wanted.
    text: I write it.
    calls: [{ tool: create, arguments: { path: new.txt, content: made } }]
  - text: Written.
  - calls: [{ tool: create, arguments: { path: second.txt, content: made } }]
  - text: Planned.
`;

type Permission = acp.ClientRequestHandler<acp.RequestPermissionRequest, acp.RequestPermissionResponse>;

/** An editor, by the protocol's own SDK, in front of the real command. */
async function openEditor(permission: Permission, machine = createMachine({ "play.yaml": SCRIPT })) {
  const { cwd, home } = machine;
  const child = startCli(["acp", "--model", "scripted:play.yaml"], {
    cwd: home,
    env: { HOME: home, XDG_STATE_HOME: "" },
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error("the agent has no streams");
  let err = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    stdin.end();
    await gone;
  });
  const updates: acp.SessionUpdate[] = [];
  const app = acp
    .client({ name: "editor" })
    .onRequest("session/request_permission", permission)
    .onNotification("session/update", ({ params }) => void updates.push(params.update));
  const input = Readable.toWeb(stdout) as ReadableStream<Uint8Array>; // Of Node's streams, which say less of themselves.
  const { agent } = app.connect(acp.ndJsonStream(Writable.toWeb(stdin), input));
  const greeting = await agent.request("initialize", { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} });
  const say = (sessionId: string, text: string) =>
    agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
  return { agent, greeting, updates, say, cwd, machine, err: () => err };
}

const choose = (optionId: string) => async () => ({ outcome: { outcome: "selected" as const, optionId } });
const kinds = (updates: readonly acp.SessionUpdate[]) => [...new Set(updates.map((update) => update.sessionUpdate))];
const said = (updates: readonly acp.SessionUpdate[]) =>
  updates.flatMap((update) =>
    update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? [update.content.text] : [],
  );

test("an editor runs the agent: new, prompt, permission, mode, load, list (B8)", async () => {
  const asked: acp.RequestPermissionRequest[] = [];
  const editor = await openEditor(async ({ params }) => {
    asked.push(params);
    return choose("allow")();
  });
  const { agent, greeting, updates, say, cwd } = editor;
  expect(greeting).toMatchObject({ protocolVersion: 1, agentInfo: { name: "toolcrib" } });
  const { sessionId, modes } = await agent.request("session/new", { cwd, mcpServers: [] });
  expect(modes?.currentModeId).toBe("default");
  expect(await say(sessionId, "Make a file")).toEqual({ stopReason: "end_turn" });
  expect(existsSync(join(cwd, "new.txt"))).toBe(true);
  expect(kinds(updates)).toEqual(["agent_thought_chunk", "agent_message_chunk", "tool_call", "tool_call_update"]);
  expect(said(updates).join("")).toBe("I write it.Written.");
  const path = join(cwd, "new.txt");
  expect(updates.find(({ sessionUpdate }) => sessionUpdate === "tool_call")).toMatchObject({
    ...{ title: "create new.txt", kind: "edit", status: "pending", locations: [{ path }] },
    content: [{ type: "diff", path, newText: "made" }],
  });
  expect(updates.findLast(({ sessionUpdate }) => sessionUpdate === "tool_call_update")).toMatchObject({
    status: "completed",
  });
  expect(asked).toMatchObject([
    { sessionId, toolCall: { kind: "edit" }, options: [{ kind: "allow_once" }, {}, {}, {}] },
  ]);

  await agent.request("session/set_mode", { sessionId, modeId: "plan" });
  // The notice may come after the answer.
  await expect.poll(() => updates).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "plan" });
  expect(await say(sessionId, "Make another")).toEqual({ stopReason: "end_turn" });
  expect(existsSync(join(cwd, "second.txt"))).toBe(false);
  await expect(agent.request("session/set_mode", { sessionId, modeId: "wild" })).rejects.toThrow("must be one of");
  const { machine } = editor;
  await expect
    .poll(() => auditedCalls(machine), { timeout: 30_000 })
    .toMatchObject([
      { client: "toolcrib acp", tool: "create", decision: { decision: "allow" }, result: "success" },
      { client: "toolcrib acp", tool: "create", result: expect.not.stringMatching("success") },
    ]);

  if (greeting.agentCapabilities?.loadSession !== true) return;
  updates.length = 0;
  await agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  expect(updates[0]).toMatchObject({ sessionUpdate: "user_message_chunk", content: { text: "Make a file" } });
  expect(said(updates)).toEqual(["I write it.", "Written.", "Planned."]);
  const { sessions } = await agent.request("session/list", { cwd });
  expect(sessions).toMatchObject([{ sessionId, cwd, title: "Make a file" }]);
});

test("what waits for trust is said, what a person rejects does not run, and a cancelled prompt ends as such", async () => {
  let answer: Permission = choose("reject");
  const waiting = "mcpServers:\n  town: { command: town }\n";
  const machine = createMachine({ "play.yaml": SCRIPT, "toolcrib.yaml": waiting });
  const { agent, say, cwd, err } = await openEditor((context) => answer(context), machine);
  const first = await agent.request("session/new", { cwd, mcpServers: [] });
  await vi.waitUntil(() => /left out: server town .*Run "toolcrib trust"/.test(err()));
  expect(await say(first.sessionId, "Make a file")).toEqual({ stopReason: "end_turn" });
  const second = await agent.request("session/new", { cwd, mcpServers: [] });
  answer = async ({ params: { sessionId } }) => {
    await agent.notify("session/cancel", { sessionId });
    return new Promise<never>(() => {});
  };
  expect(await say(second.sessionId, "Make a file")).toEqual({ stopReason: "cancelled" });
  expect(existsSync(join(cwd, "new.txt"))).toBe(false);
  await expect(say("nobody", "Hello")).rejects.toThrow('there is no session "nobody"');
  await agent.request("session/close", { sessionId: first.sessionId });
  await expect(say(first.sessionId, "Hello")).rejects.toThrow("there is no session");
});
