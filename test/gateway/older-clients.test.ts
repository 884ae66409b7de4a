import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openGateway } from "./world.ts";

const require = createRequire(import.meta.url);
const entryOf = (server: string) => require.resolve(`@modelcontextprotocol/server-${server}/dist/index.js`);

/** As much of the client of the first SDK as is used here; it comes with the reference servers. */
interface FirstClient {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments: object }): Promise<{ content: { text?: string }[]; isError?: boolean }>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: { uri: string }[] }>;
  getPrompt(params: { name: string; arguments?: object }): Promise<{ messages: unknown[] }>;
}

async function connectFirst(url: string): Promise<FirstClient> {
  const sdk = join(dirname(createRequire(entryOf("everything")).resolve("@modelcontextprotocol/sdk/client")), "..");
  const load = (path: string) => import(pathToFileURL(join(sdk, path)).href.replace("/cjs/", "/esm/"));
  const { Client } = await load("client/index.js");
  const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");
  const client: FirstClient = new Client({ name: "first", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  return client;
}

test("the client of SDK 1.x works with three reference servers behind one address", async () => {
  const { url, place, errors, crib } = await openGateway({
    mcpServers: {
      every: { command: process.execPath, args: [entryOf("everything"), "stdio"] },
      files: { command: process.execPath, args: [entryOf("filesystem"), "."] },
      graph: { command: process.execPath, args: [entryOf("memory")] },
    },
    toolSearch: "off",
    includeTools: ["every/*", "files/*", "graph/*"],
  });
  place.write("note.txt", "a note for everybody");
  await crib.main.settled(AbortSignal.timeout(50_000));
  const client = await connectFirst(url);
  const { tools } = await client.listTools();
  const servers = new Set(tools.map(({ name }) => name.split("__")[0]));
  expect([...servers].sort()).toEqual(["every", "files", "graph"]);
  const call = async (name: string, args: object) =>
    (await client.callTool({ name, arguments: args })).content[0]?.text;
  expect(await call("every__echo", { message: "hi" })).toBe("Echo: hi");
  expect(await call("files__read_text_file", { path: "note.txt" })).toBe("a note for everybody");
  const entity = { name: "Ada", entityType: "person", observations: ["wrote"] };
  await call("graph__create_entities", { entities: [entity] });
  expect(await call("graph__read_graph", {})).toContain("Ada");
  const { resources } = await client.listResources();
  const { contents } = await client.readResource({ uri: resources[0]?.uri ?? "" });
  expect(contents[0]?.uri).toBe(resources[0]?.uri);
  expect((await client.getPrompt({ name: "every__simple-prompt" })).messages).toHaveLength(1);
  expect(errors).toEqual([]);
});

test("the client of SDK 1.x, which compiles what all tools promise at once, gets every tool however odd some promises are", async () => {
  const shapes = fileURLToPath(new URL("../fixtures/shapes-server.cjs", import.meta.url));
  const { url } = await openGateway({
    mcpServers: { it: { command: process.execPath, args: [shapes] } },
    toolSearch: "off",
    includeTools: ["it"],
    permissions: { allow: ["it/*"] },
  });
  const client = await connectFirst(url);
  const { tools } = await client.listTools();
  expect(tools).toHaveLength(12);
  const broken = ["huge", "failing", "forgetful", "wrong", "wrong_list", "tiring"].map((name) => `it__${name}`);
  for (const { name } of tools) {
    const { isError = false } = await client.callTool({ name, arguments: {} });
    expect({ name, isError }).toEqual({ name, isError: broken.includes(name) });
  }
});
