// @ts-nocheck The package and its types are not installed with this one.
// What an app of any version of the npm package relies on, with the package that lies in COPILOT_SDK.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { COPILOT_SDK = "", COPILOT_CLI_PATH = "", SCENARIO = "", ECHO_SERVER = "" } = process.env;
const sdk = await import(pathToFileURL(join(COPILOT_SDK, "dist/index.js")).href);
const call = (tool, args = {}) => ({ calls: [{ tool, arguments: args }] });
const script = (name, replies, agents = {}) => {
  const file = join(SCENARIO, `${name}.json`);
  writeFileSync(file, JSON.stringify({ replies, agents }));
  return `scripted:${file}`;
};
const approve = async () => ({ kind: "approve-once" });
const schema = { type: "object", properties: { city: { type: "string" } } };
const weather = (handler) => sdk.defineTool("get_weather", { description: "The weather", parameters: schema, handler });
const passed = [];
const step = async (name, work) => {
  await work();
  passed.push(name);
};

const skills = join(SCENARIO, "skills");
mkdirSync(join(skills, "greet"), { recursive: true });
writeFileSync(join(skills, "greet", "SKILL.md"), "---\nname: greet\ndescription: Greets\n---\nSay hello.\n");
const task = { agent_type: "helper", name: "helper", description: "Help", prompt: "Help", mode: "sync" };
const model = script(
  "all",
  [
    ...[call("get_weather", { city: "Paris" }), { text: "allowed" }],
    ...[call("get_weather", { city: "Rome" }), call("echo-echo", { text: "hi" }), { text: "server" }],
    ...[call("skill", { skill: "greet" }), { text: "skilled" }, call("task", task), { text: "helped" }],
  ],
  { helper: [{ text: "I help" }] },
);
const cities = [];
const ends = [];
let isFine = true;
const client = new sdk.CopilotClient();
const session = await client.createSession({
  model,
  tools: [
    weather(({ city }) => {
      cities.push(city);
      return "warm";
    }),
  ],
  onPermissionRequest: async ({ kind }) => ({ kind: isFine || kind === "mcp" ? "approve-once" : "user-not-available" }),
  hooks: {
    onPreToolUse: async ({ toolArgs }) => (toolArgs.city === "Paris" ? { modifiedArgs: { city: "Lyon" } } : undefined),
  },
  mcpServers: { echo: { type: "local", command: process.execPath, args: [ECHO_SERVER], tools: ["*"] } },
  skillDirectories: [skills],
  customAgents: [{ name: "helper", description: "Helps", prompt: "You help." }],
});
session.on((event) => {
  if (event.type === "tool.execution_complete" && event.agentId === undefined) ends.push(event.data);
});
const say = async (prompt) => (await session.sendAndWait({ prompt }, 60_000))?.data.content;
await step("create", () => assert.ok(session.sessionId));
await step("custom tool, permission allowed, hook that changes arguments", async () => {
  assert.equal(await say("one"), "allowed");
  assert.deepEqual(cities, ["Lyon"]);
  assert.equal(ends[0].result.content, "warm");
});
await step("permission denied, MCP tool", async () => {
  isFine = false;
  assert.equal(await say("two"), "server");
  assert.deepEqual(cities, ["Lyon"]);
  assert.deepEqual([ends[1].success, ends[2].result?.content], [false, "hi"]);
});
await step("skill", async () => {
  assert.equal(await say("three"), "skilled");
  assert.match(ends[3].result.content, /"greet" loaded/);
});
await step("custom agent", async () => {
  assert.equal(await say("four"), "helped");
  assert.match(ends[4].result.content, /I help/);
});
await client.stop();

const again = new sdk.CopilotClient();
await step("resume in a new process", async () => {
  const resumed = await again.resumeSession(session.sessionId, {
    model: script("resumed", [{ text: "again" }]),
    onPermissionRequest: approve,
  });
  const said = await resumed.sendAndWait({ prompt: "five" }, 60_000);
  assert.equal(said?.data.content, "again");
  const events = await (resumed.getEvents ?? resumed.getMessages).call(resumed);
  assert.equal(events.filter(({ type }) => type === "user.message").length, 5);
});
await step("abort", async () => {
  let begin = () => {};
  const begun = new Promise((resolve) => (begin = resolve));
  const slow = await again.createSession({
    model: script("slow", [call("get_weather"), { text: "late" }]),
    tools: [
      weather(() => {
        begin();
        return new Promise(() => {});
      }),
    ],
    onPermissionRequest: approve,
  });
  const idle = new Promise((resolve) => slow.on("session.idle", resolve));
  await slow.send({ prompt: "six" });
  await begun;
  await slow.abort();
  await idle;
});
await again.stop();

await step("two clients on one session", async () => {
  const server = spawn(process.execPath, [COPILOT_CLI_PATH, "rpc", "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(server.stdout, "data");
  const url = `localhost:${/port (\d+)/.exec(String(line))?.[1]}`;
  const open = () =>
    new sdk.CopilotClient(sdk.RuntimeConnection ? { connection: sdk.RuntimeConnection.forUri(url) } : { cliUrl: url });
  const [one, two] = [open(), open()];
  const plain = (name) => sdk.defineTool(name, { description: name, parameters: schema, handler: () => `by ${name}` });
  const shared = await one.createSession({
    model: script("shared", [
      { calls: [call("first"), call("second")].flatMap(({ calls }) => calls) },
      { text: "both" },
    ]),
    tools: [plain("first")],
    onPermissionRequest: approve,
  });
  const joined = await two.resumeSession(shared.sessionId, { tools: [plain("second")], onPermissionRequest: approve });
  const heard = [];
  joined.on((event) => {
    if (event.type === "tool.execution_complete") heard.push(event.data.result?.content);
  });
  assert.equal((await shared.sendAndWait({ prompt: "seven" }, 60_000))?.data.content, "both");
  assert.deepEqual(heard.sort(), ["by first", "by second"]);
  await Promise.all([one.stop(), two.stop()]);
  server.kill();
});
console.log(passed.join(", "));
process.exit(0);
