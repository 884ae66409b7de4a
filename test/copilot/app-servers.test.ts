import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime, type TestClient } from "../support/copilot-client.ts";
import { serveLoopback } from "../support/loopback-web.ts";
import { runCli } from "../support/run-cli.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const ECHO = join(import.meta.dirname, "../fixtures/echo-server.cjs");
const EVERYTHING = join(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
);

const until = <T>(read: () => T) => expect.poll(read, { timeout: 60_000 });

/** A runtime in a project with these files, and a session of it. */
async function begin(options: object, files: Record<string, string> = {}, env = {}, replies: readonly object[] = []) {
  const { project, base } = tempWorkspace({ ".git/HEAD": "", "script.json": JSON.stringify({ replies }), ...files });
  const client = startRuntime(join(base, "home"), project, env).connect();
  const model = `scripted:${join(project, "script.json")}`;
  const create = () => client.request("session.create", { sessionId: "s", model, ...options });
  return { client, project, create, home: join(base, "home") };
}

const servers = async (client: TestClient) => (await client.request("session.mcp.list", { sessionId: "s" })).servers;

async function toolNames(client: TestClient): Promise<readonly string[]> {
  const { tools } = await client.request("session.tools.getCurrentMetadata", { sessionId: "s" });
  return (tools as { name: string }[]).map(({ name }) => name);
}

test("an app's server gets what the app gave it, and no secret of the runtime's environment", async () => {
  const secrets = { MY_API_KEY: "key-of-the-runtime", GITHUB_TOKEN: "token-of-the-runtime", NVM_DIR: "/nvm" };
  const everything = { type: "local", command: process.execPath, args: [EVERYTHING, "stdio"], tools: ["get-env"] };
  const { client, create } = await begin(
    { mcpServers: { all: { ...everything, env: { GIVEN_TOKEN: "given-by-the-app" } } } },
    {},
    secrets,
    [{ calls: [{ tool: "all-get-env", arguments: {} }] }, { text: "." }],
  );
  await create();
  await client.request("session.permissions.setApproveAll", { sessionId: "s", enabled: true });
  await until(() => servers(client)).toMatchObject([{ name: "all", status: "connected" }]);
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  const text = JSON.stringify(client.events.filter(({ type }) => type === "tool.execution_complete"));
  for (const name of ["GIVEN_TOKEN", "given-by-the-app", "PATH", "/nvm"]) expect(text).toContain(name);
  for (const name of ["of-the-runtime", "MY_API_KEY", "GITHUB_TOKEN"]) expect(text).not.toContain(name);
});

test.each([{}, { env: {} }, { type: "local", env: {} }, { type: "stdio", tools: ["*"], timeout: 5_000 }])(
  "an app's server matches the pin of the same entry, also as %o",
  async (more) => {
    const entry = { command: process.execPath, args: [ECHO] };
    const { client, create, project, home } = await begin({ mcpServers: { echo: { ...entry, ...more } } });
    writeFileSync(join(project, "servers.json"), JSON.stringify({ mcpServers: { echo: entry } }));
    const env = { PATH: process.env.PATH ?? "", HOME: home };
    const pinned = await runCli(["pin", "--config", "servers.json"], { cwd: project, env });
    expect(pinned, pinned.err).toMatchObject({ status: 0 });
    await create();
    await until(() => servers(client)).toMatchObject([{ name: "echo", status: "connected" }]);
    expect(await toolNames(client)).toContain("echo-echo");
  },
);

test("a server is listed under the transport that the app names", async () => {
  const url = "http://127.0.0.1:9/";
  const { client, create } = await begin({
    mcpServers: { a: { type: "sse", url }, b: { type: "http", url }, c: { command: process.execPath, args: [ECHO] } },
  });
  await create();
  await until(() => servers(client)).toMatchObject([
    { transport: "sse" },
    { transport: "http" },
    { transport: "stdio" },
  ]);
});

const warnings = ({ events }: TestClient) =>
  events.flatMap(({ type, data }) => (type === "session.warning" ? [String(data.message)] : []));
const changes = ({ events }: TestClient) =>
  events.flatMap(({ type, data }) => (type === "session.mcp_server_status_changed" ? [data] : []));

test("a server that fails is told to the app with its last words, by status, warning and list", async () => {
  const script = 'process.stderr.write("the database is gone\\n"); process.exit(3)';
  const { client, create } = await begin({
    mcpServers: {
      broken: { command: process.execPath, args: ["-e", script] },
      echo: { command: process.execPath, args: [ECHO] },
    },
  });
  await create();
  await until(() => servers(client)).toMatchObject([
    { name: "broken", status: "failed", error: expect.stringMatching(/exited with code 3.*the database is gone/s) },
    { name: "echo", status: "connected" },
  ]);
  expect(await client.next("session.mcp_servers_loaded")).toMatchObject({
    servers: [
      { name: "broken", status: "failed" },
      { name: "echo", status: "connected", transport: "stdio" },
    ],
  });
  expect(
    changes(client)
      .map(({ serverName, status }) => `${serverName} ${status}`)
      .sort(),
  ).toEqual(["broken failed", "echo connected"]);
  expect(changes(client).find(({ status }) => status === "failed")?.error).toContain("the database is gone");
  await until(() => warnings(client).join()).toContain("the database is gone");
  // It is tried again and fails again, which is no news.
  await client.request("session.mcp.reload", { sessionId: "s" });
  expect(warnings(client).filter((text) => text.includes('"broken"'))).toHaveLength(1);
});

const told = ({ events }: TestClient) =>
  events.flatMap(({ type, data }) => (/^session\.(warning|info)$/.test(type) ? [String(data.message)] : [])).join("\n");

test("what lock and deny rules hide, a schema that is none and a folder without skills are told to the app", async () => {
  const { client, create } = await begin(
    {
      mcpServers: { echo: { command: process.execPath, args: [ECHO] } },
      tools: [
        { name: "pay", description: "Pays", parameters: { type: "object", properties: {} } },
        { name: "odd", description: "Odd", parameters: { type: "nonsense" } },
      ],
      skillDirectories: ["no-skills"],
    },
    {
      "toolcrib.lock": '{ "version": 2, "servers": {}, "tools": {} }\n',
      "toolcrib.yaml": "permissions:\n  deny: [pay]\n",
    },
  );
  await create();
  await until(() => servers(client)).toMatchObject([{ name: "echo", status: "connected" }]);
  for (const text of ['denied by permissions.deny: "pay"', "toolcrib.lock hides echo/change, echo/echo", "no-skills"])
    await until(() => told(client)).toContain(text);
  expect(warnings(client).join()).toMatch(/no model is shown odd: .*schema/);
});

test("a working directory that does not exist is told to the app", async () => {
  const { client, create } = await begin({ workingDirectory: "gone" });
  await create();
  await until(() => warnings(client).join()).toMatch(/the workspace .*gone does not exist/);
});

test("a server that policy denies is never started, and the app hears why", async () => {
  const { base } = tempWorkspace();
  const policy = join(base, "policy.yaml");
  writeFileSync(policy, "policy: { deniedMcpServers: [echo] }\n");
  const { client, create } = await begin(
    { mcpServers: { echo: { command: process.execPath, args: [ECHO] } } },
    {},
    { TOOLCRIB_POLICY: policy },
  );
  await create();
  await until(() => servers(client)).toMatchObject([
    { name: "echo", status: "disabled", error: expect.stringContaining("policy denies") },
  ]);
  await until(() => warnings(client).join()).toContain("policy denies");
  expect(await client.next("session.mcp_servers_loaded")).toMatchObject({ servers: [{ status: "disabled" }] });
});

test("an unknown tool in the list of an agent is told to the app when the agent works", async () => {
  const customAgents = [{ name: "poet", prompt: "Rhyme.", tools: ["view", "rhyme_finder"] }];
  const task = { description: "Rhyme", prompt: "Rhyme", agent_type: "poet", name: "p" };
  const { client, create } = await begin({ customAgents }, {}, {}, [
    { calls: [{ tool: "task", arguments: task }] },
    { text: "." },
    { text: "." },
  ]);
  await create();
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  await until(() => told(client)).toContain("rhyme_finder");
});

test("GitHub's own server is asked for the sets and tools that the app wants", async () => {
  const asked: unknown[] = [];
  const { port } = await serveLoopback((request, response) => {
    asked.push([request.url, request.headers["x-mcp-toolsets"], request.headers["x-mcp-tools"]]);
    response.writeHead(404).end();
  });
  const githubMcpToolConfig = { additionalToolsets: ["repos", "issues"], additionalTools: ["get_me"] };
  const { client, create } = await begin(
    { enableConfigDiscovery: true, githubMcpToolConfig },
    {},
    { COPILOT_API_URL: `http://127.0.0.1:${port}` },
  );
  await create();
  await servers(client);
  await until(() => asked).toContainEqual(["/mcp", "repos,issues", "get_me"]);
});
