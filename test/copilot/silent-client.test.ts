import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime, type TestClient } from "../support/copilot-client.ts";
import { createFakeClock } from "../support/fake-clock.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const ECHO = join(import.meta.dirname, "../fixtures/echo-server.cjs");
const TOOL = { name: "pay", description: "Pays", parameters: { type: "object" } };
const OPEN = { tools: [{ ...TOOL, skipPermission: true }] };
const call = (tool: string, args = {}) => ({ calls: [{ tool, arguments: args }] });

interface Case {
  readonly silent: string;
  readonly options?: object;
  readonly calls?: readonly object[];
  /** An event that the client leaves unanswered, in place of a request. */
  readonly event?: string;
  readonly agentMode?: string;
}

const hook = (hookType: string, calls: readonly object[] = [], options = {}): Case => ({
  silent: `hooks.invoke ${hookType}`,
  options: { hooks: true, ...options },
  calls,
});

const CASES: readonly Case[] = [
  hook("userPromptSubmitted"),
  hook("userPromptTransformed"),
  hook("preToolUse", [call("pay")], OPEN),
  hook("postToolUse", [call("pay")], OPEN),
  hook("preMcpToolCall", [call("echo-echo", { text: "hi" })], {
    mcpServers: { echo: { command: process.execPath, args: [ECHO] } },
    managedSettings: { permissions: { allow: ["mcp"] } },
  }),
  hook("agentStop"),
  {
    silent: "systemMessage.transform",
    options: { systemMessage: { mode: "customize", sections: { tone: { action: "transform" } } } },
  },
  {
    silent: "userInput.request",
    options: { requestUserInput: true },
    calls: [call("ask_user", { question: "Well?" })],
  },
  {
    silent: "exitPlanMode.request",
    options: { requestExitPlanMode: true },
    calls: [call("exit_plan_mode", { summary: "All of it" })],
    agentMode: "plan",
  },
  { silent: "a permission handler", options: { tools: [TOOL] }, calls: [call("pay")], event: "permission.requested" },
  { silent: "a tool", options: OPEN, calls: [call("pay")], event: "external_tool.requested" },
];

/** A client that keeps silent where the case says so; resolves once it was asked and its second turn hangs on it. */
async function hang({ silent, options = {}, calls = [], event, agentMode = "interactive" }: Case) {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies: [{ text: "First." }, ...calls, { text: "Done." }] }));
  const runtime = startRuntime(join(project, "home"), project);
  const client = runtime.connect();
  const model = `scripted:${script}`;
  let isSilent = false;
  let ask = (): void => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const never = (): unknown => {
    if (!isSilent) return { sections: {} };
    ask();
    return new Promise(() => {});
  };
  client.answers.set("hooks.invoke", ({ hookType }) => (silent === `hooks.invoke ${hookType}` ? never() : {}));
  client.answers.set(silent, never);
  await client.request("session.create", { sessionId: "s", model, ...options });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Begin" });
  await client.next("session.idle");
  isSilent = true;
  await client.request("session.send", { sessionId: "s", prompt: "Go", agentMode });
  if (silent.includes("postToolUse")) await answerTool(client);
  await (event === undefined ? asked : client.next(event));
  return { runtime, client, model };
}

async function answerTool(client: TestClient): Promise<void> {
  const { requestId } = await client.next("external_tool.requested");
  await client.request("session.tools.handlePendingToolCall", { sessionId: "s", requestId, result: "paid" });
}

const named = CASES.map((one) => [one.silent, one] as const);

test.each(named)("abort frees a session whose client never answers %s", async (_name, silence) => {
  const { client } = await hang(silence);
  expect(await client.request("session.abort", { sessionId: "s" })).toEqual({ success: true });
  expect(await client.next("session.idle")).toEqual({ aborted: true });
  expect(await client.request("session.metadata.isProcessing", { sessionId: "s" })).toEqual({ processing: false });
});

test.each(named)("who leaves while never answering %s leaves a session that others can use", async (_name, silence) => {
  for (const leave of ["detach", "disconnect"]) {
    const { runtime, client, model } = await hang(silence);
    if (leave === "disconnect") client.close();
    else expect(await client.request("session.detach", { sessionId: "s" })).toMatchObject({ success: true });
    const other = runtime.connect();
    await other.request("session.resume", { sessionId: "s", model });
    await other.request("session.sendAndWait", { sessionId: "s", prompt: "Again" });
    expect(await other.request("session.delete", { sessionId: "s" })).toEqual({ success: true });
  }
});

test("a client that never says what its sessionEnd hook returned is waited for no longer than a hook may take", async () => {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies: [{ text: "Done." }] }));
  const clock = createFakeClock();
  const runtime = startRuntime(join(project, "home"), project, {}, clock);
  const client = runtime.connect();
  let ask = (): void => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  client.answers.set("hooks.invoke", ({ hookType }) => {
    if (hookType !== "sessionEnd") return {};
    ask();
    return new Promise(() => {});
  });
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}`, hooks: true });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  const detached = client.request("session.detach", { sessionId: "s" });
  await asked;
  clock.advance(60_000);
  expect(await detached).toMatchObject({ success: true });
});

test.each([
  ["detach", "session.detach"],
  ["a shutdown", "runtime.shutdown"],
])("a client that never writes the files of its session holds up %s for no longer than ten seconds", async (_, end) => {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies: [{ text: "Done." }] }));
  const clock = createFakeClock();
  const runtime = startRuntime(join(project, "home"), project, {}, clock);
  const client = runtime.connect();
  for (const operation of ["writeFile", "mkdir"]) client.answers.set(`sessionFs.${operation}`, () => ({}));
  let asked = 0;
  client.answers.set("sessionFs.appendFile", () => {
    asked += 1;
    return new Promise(() => {});
  });
  await client.request("sessionFs.setProvider", { initialCwd: "/", sessionStatePath: "/state", conventions: "posix" });
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}` });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  let isOver = false;
  const ended = client.request(end, { sessionId: "s" }).then((answer) => {
    isOver = true;
    return answer;
  });
  await expect.poll(() => clock.pending).toContain(10_000);
  expect([asked, isOver]).toEqual([1, false]);
  clock.advance(10_000);
  await ended;
  expect(runtime.notes.join()).toContain("before its client wrote all of its files");
});

test("what happens while a client writes is written at once when it has", async () => {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  await writeFile(script, JSON.stringify({ replies: [{ text: "Done." }] }));
  const client = startRuntime(join(project, "home"), project).connect();
  const files = new Map<string, string[]>();
  for (const operation of ["writeFile", "mkdir"]) client.answers.set(`sessionFs.${operation}`, () => ({}));
  let write = (): void => {};
  const first = new Promise<void>((resolve) => {
    write = resolve;
  });
  client.answers.set("sessionFs.appendFile", async ({ path, content }) => {
    await first;
    files.set(String(path), [...(files.get(String(path)) ?? []), String(content)]);
    return {};
  });
  await client.request("sessionFs.setProvider", { initialCwd: "/", sessionStatePath: "/state", conventions: "posix" });
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}` });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  write();
  await client.request("session.detach", { sessionId: "s" });
  const events = files.get("/state/events.jsonl") ?? [];
  expect(events.length).toBeLessThanOrEqual(2);
  const types = events.join("").trim().split("\n");
  expect(types.map((line) => JSON.parse(line).type)).toEqual(
    client.events.filter((event) => !("ephemeral" in event)).map(({ type }) => type),
  );
});
