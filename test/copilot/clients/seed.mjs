// @ts-nocheck The package and its types are not installed with this one.
// Ways to use the SDK that its guides teach, in today's spelling, with the package that lies in COPILOT_SDK.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { COPILOT_SDK = "", SCENARIO = "", ECHO_SERVER = "" } = process.env;
const { approveAll, CopilotClient, defineTool } = await import(pathToFileURL(join(COPILOT_SDK, "dist/index.js")).href);
const { z } = createRequire(join(COPILOT_SDK, "package.json"))("zod");
const call = (tool, args = {}) => ({ calls: [{ tool, arguments: args }] });

let count = 0;
/** What the calls of one reply came to, in a session with these options. */
async function run(client, options, ...calls) {
  count += 1;
  const file = join(SCENARIO, `seed-${count}.json`);
  writeFileSync(file, JSON.stringify({ replies: [...calls, { text: "done" }] }));
  const session = await client.createSession({
    model: `scripted:${file}`,
    onPermissionRequest: approveAll,
    ...options,
  });
  const ends = [];
  session.on("tool.execution_complete", ({ data }) => ends.push(data));
  await session.sendAndWait({ prompt: "Go" }, 60_000);
  const { tools } = await session.rpc.tools.getCurrentMetadata();
  return { ends, tools, names: tools.map(({ name }) => name), session, model: `scripted:${file}` };
}

const client = new CopilotClient();
await client.start();
const object = (properties, required = []) => ({ type: "object", properties, required });
const search = defineTool("search_kb", {
  description: "Search the knowledge base",
  parameters: object({ query: { type: "string" }, limit: { type: "number" } }, ["query"]),
  handler: (args, { sessionId, toolCallId, toolName }) => ({ args, known: Boolean(sessionId && toolCallId), toolName }),
});
const first = await run(client, { tools: [search] }, call("search_kb", { query: "x" }));
assert.deepEqual(JSON.parse(first.ends[0].result.content), {
  args: { query: "x" },
  known: true,
  toolName: "search_kb",
});

const units = z.enum(["celsius", "fahrenheit"]).default("celsius");
const weather = defineTool("get_weather", {
  description: "Get weather for a city",
  parameters: z.object({ city: z.string().describe("City name"), units }),
  handler: async (args) => ({ temperature: 72, unit: args.units }),
});
const zod = await run(client, { tools: [weather] }, call("get_weather", { city: "Lyon", units: "celsius" }));
assert.equal(zod.ends[0].result.content, '{"temperature":72,"unit":"celsius"}');
const { input_schema: shown } = zod.tools.find(({ name }) => name === "get_weather");
assert.equal(shown.properties.city.description, "City name");

const gives = (name, handler) => defineTool(name, { description: name, parameters: object({}), handler });
const failure = { textResultForLlm: "No query provided.", resultType: "failure", error: "secret detail" };
const results = {
  text: () => "plain",
  nothing: () => undefined,
  refused: () => failure,
  thrown: () => {
    throw new Error("DB connection failed at 10.0.0.5:5432");
  },
};
const kinds = await run(
  client,
  { tools: Object.entries(results).map(([name, handler]) => gives(name, handler)) },
  ...Object.keys(results).map((name) => call(name)),
);
// What the model reads; the app's events also have the tool's own error.
const read = kinds.ends.map(({ result }) => result.content);
assert.deepEqual(read.slice(0, 3), ["plain", "", "No query provided."]);
assert.doesNotMatch(read.join(), /10\.0\.0\.5|secret detail/);
assert.equal(kinds.ends[2].error.message, "secret detail");

const server = (tools) => ({
  type: "local",
  command: process.execPath,
  args: [ECHO_SERVER],
  env: { DEBUG: "1" },
  tools,
});
const servers = await run(
  client,
  { mcpServers: { all: server(["*"]), some: server(["pid"]), none: server([]) } },
  call("all-echo", { text: "hi" }),
);
assert.equal(servers.ends[0].result.content, "hi");
assert.deepEqual(servers.names.filter((name) => /^(all|some|none)-/.test(name)).sort(), [
  "all-change",
  "all-echo",
  "all-exit",
  "all-pid",
  "all-wait",
  "some-pid",
]);
const listed = servers.tools.find(({ name }) => name === "all-echo");
assert.deepEqual([listed.namespacedName, listed.mcpServerName, listed.mcpToolName], ["all/echo", "all", "echo"]);

const only = await run(client, { tools: [search], availableTools: ["view", "search_kb"] }, { text: "" });
assert.deepEqual(only.names.sort(), ["search_kb", "view"]);
const without = await run(client, { tools: [search], excludedTools: ["bash", "search_kb"] }, { text: "" });
assert.ok(without.names.includes("view") && !without.names.includes("bash") && !without.names.includes("search_kb"));
const both = await run(client, { availableTools: ["view", "grep"], excludedTools: ["grep"] }, { text: "" });
assert.deepEqual(both.names, ["view"]);

const ignored = await run(client, { memory: { enabled: true }, enableSkills: false }, { text: "" });
const told = (await ignored.session.getEvents()).filter(({ type }) => type === "session.warning");
assert.deepEqual([told.length, told[0]?.data.warningType], [1, "options_ignored"]);
assert.match(told[0].data.message, /memory \(/);

let ask = () => {};
const asked = new Promise((resolve) => (ask = resolve));
const silent = await client.createSession({
  model: ignored.model,
  onPermissionRequest: approveAll,
  hooks: {
    onUserPromptSubmitted: () => {
      ask();
      return new Promise(() => {});
    },
  },
});
const idle = new Promise((resolve) => silent.on("session.idle", resolve));
await silent.send({ prompt: "Go" });
await asked;
await silent.abort();
assert.equal((await idle).data.aborted, true);
await silent.disconnect();

const { tools: builtins } = await client.rpc.tools.list({});
assert.ok(builtins.some(({ name, description }) => name === "view" && description !== ""));
await client.stop();
console.log("definitions, Zod, results, errors, servers, filters, lists of tools, ignored options, silent hook");
process.exit(0);
