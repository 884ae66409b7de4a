import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cleanAnswer } from "../../src/surfaces/gateway/servers/clean-answer.ts";
import { oneFile } from "../support/one-file.ts";
import { connect, textOf } from "./clients.ts";
import { openGateway } from "./world.ts";

const SERVER = fileURLToPath(new URL("../fixtures/echo-server.cjs", import.meta.url));

test.each(["legacy", "modern"] as const)(
  "a %s client gets nothing of a result that a person would not see",
  async (era) => {
    const { url } = await openGateway({
      mcpServers: { echo: { command: process.execPath, args: [SERVER] } },
      includeTools: ["echo"],
      toolSearch: "off",
    });
    const { client } = await connect(url, era);
    const say = (text: string) => client.callTool({ name: "echo__echo", arguments: { text } });
    const cleaned = await say("done\u{e0069}\u{e0067}\u202e\u001b[8m, see 👩‍👩‍👧 and می‌خواهم");
    expect(textOf(cleaned)).toBe("done, see 👩‍👩‍👧 and می‌خواهم");
    expect(cleaned._meta).toMatchObject({ "toolcrib/dropped-characters": 4 });
    const plain = "as it was\r\n\tnaïve 日本 👩‍👩‍👧";
    const untouched = await say(plain);
    expect(textOf(untouched)).toBe(plain);
    expect(untouched._meta ?? {}).not.toHaveProperty("toolcrib/dropped-characters");
  },
);

const CURIOUS = oneFile(fileURLToPath(new URL("../fixtures/curious-server.mjs", import.meta.url)));

test.each(["legacy", "modern"] as const)("a %s client gets prompts without it too", async (era) => {
  const { url } = await openGateway({ mcpServers: { it: { command: process.execPath, args: [CURIOUS] } } });
  const { client } = await connect(url, era);
  const greet = (name: string) => client.getPrompt({ name: "it__greet", arguments: { name } });
  const cleaned = await greet("Ada\u{e0069}\u200b\u202e");
  expect(cleaned.messages).toEqual([{ role: "user", content: { type: "text", text: "Hello Ada" } }]);
  expect(cleaned._meta).toMatchObject({ "toolcrib/dropped-characters": 3 });
  expect((await greet("Grace")).messages).toEqual([{ role: "user", content: { type: "text", text: "Hello Grace" } }]);
});

test.each(["legacy", "modern"] as const)(
  "a %s client gets nothing of a tool's definition that no gate has read",
  async (era) => {
    const mcpServers = { it: { command: process.execPath, args: [CURIOUS] } };
    const { url } = await openGateway({ mcpServers, includeTools: ["it/rich"], toolSearch: "off" });
    const { client } = await connect(url, era);
    const { tools } = await client.listTools();
    const own = ["name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution"];
    const rich = tools.find(({ name }) => name === "it__rich");
    expect(rich).toMatchObject({ title: "Rich" });
    expect(Object.keys(rich ?? {}).filter((key) => !own.includes(key))).toEqual([]);
    expect(Object.keys(rich?.annotations ?? {}).sort()).toEqual(["idempotentHint", "openWorldHint", "readOnlyHint"]);
  },
);

const WHISPERING = fileURLToPath(new URL("../fixtures/whispering-server.mjs", import.meta.url));

test.each(["legacy", "modern"] as const)(
  "a %s client gets lists and errors without it too, and nothing for which it would refuse all of a list",
  async (era) => {
    const { url } = await openGateway({ mcpServers: { it: { command: process.execPath, args: [WHISPERING] } } });
    const { client } = await connect(url, era);
    const _meta = { "toolcrib/dropped-characters": expect.any(Number) };
    const who = { name: "who", description: "A name" };
    expect((await client.listPrompts()).prompts).toEqual([
      { name: "it__greet", title: "Greet", description: "Greets", arguments: [who], _meta },
      { name: "it__odd" },
    ]);
    expect(await client.getPrompt({ name: "it__greet" })).toMatchObject({
      description: "Greets",
      messages: [{ role: "user", content: { type: "text", text: "Hi" } }],
    });
    expect((await client.listResources()).resources).toEqual([
      { uri: "test://a", name: "a", description: "The a", _meta },
      { uri: "test://odd", name: "test://odd" },
    ]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([
      { uriTemplate: "test://{b}", name: "b", _meta },
    ]);
    const failed = await client.readResource({ uri: "test://a" }).catch((error: Error) => error.message);
    expect(failed).toMatch(/No such thing$/);
  },
);

test.each(["legacy", "modern"] as const)(
  "a %s client gets structured results without it too, called by themselves and from code",
  async (era) => {
    const mcpServers = { it: { command: process.execPath, args: [WHISPERING] } };
    const permissions = { allow: ["it/*"] };
    const { url } = await openGateway({ mcpServers, builtins: "off", toolSearch: "off", code: "auto", permissions });
    const told = { "toolcrib/dropped-characters": 8 };
    const { client: direct } = await connect(`${url}?code=0`, era);
    const plain = await direct.callTool({ name: "it__who", arguments: {} });
    expect(plain).toMatchObject({ structuredContent: { name: "Ada", k: 1 }, _meta: told });
    expect(JSON.stringify(plain)).not.toMatch(/\u200b|\u202e|\u{e0069}/u);
    const { client } = await connect(`${url}?code=1`, era);
    const run = (code: string) =>
      client.callTool({ name: "run_code", arguments: { code: `await tools.describe("it.who"); ${code}` } });
    const coded = await run("const r = await it.who({}); return r");
    expect(textOf(coded)).toBe('{"name":"Ada","k":1}');
    expect(coded._meta).toMatchObject(told);
    // What the code writes out of what it was told is no other way.
    const written = await run("await it.who({}); console.log('a\\u{e0069}'); throw new Error('b\\u202e')");
    expect(textOf(written)).toMatch(/^a\nError: b\n/);
    expect(written._meta).toMatchObject({ "toolcrib/dropped-characters": 10 });
  },
);

test.each(["legacy", "modern"] as const)("a %s client hears of log lines and steps without it too", async (era) => {
  const { url } = await openGateway({
    mcpServers: { it: { command: process.execPath, args: [WHISPERING] } },
    includeTools: ["it/log"],
    toolSearch: "off",
  });
  const { client } = await connect(url, era);
  const told: unknown[] = [];
  client.setNotificationHandler("notifications/message", ({ params }) => void told.push(params));
  const _meta = { "io.modelcontextprotocol/logLevel": "debug" };
  const call = { name: "it__log", arguments: {}, ...(era === "modern" ? { _meta } : {}) };
  await client.callTool(call, { onprogress: ({ message }) => void told.push(message) });
  expect(told).toEqual([
    {
      level: "error",
      logger: "it",
      data: ["a line", { of: { a: ["log", 5, null] } }],
      _meta: { "toolcrib/dropped-characters": expect.any(Number) },
    },
    "a step",
  ]);
});

test.each(["legacy", "modern"] as const)("a %s client is asked without it too", async (era) => {
  const { url } = await openGateway({
    mcpServers: { it: { command: process.execPath, args: [CURIOUS] } },
    includeTools: ["it/ask"],
    toolSearch: "off",
  });
  const form = () => ({ action: "accept" as const, content: { name: "Ada" } });
  const { client, told } = await connect(url, era, { form, canSample: true });
  await client.callTool({ name: "it__ask", arguments: { who: "you\u{e0069}\u200b\u202e" } });
  expect(told.asked).toContain('The MCP server "it" asks: Who are you?');
});

test.each(["legacy", "modern"] as const)("a %s client that asks at once waits for servers that start", async (era) => {
  const { url } = await openGateway({ mcpServers: { it: { command: process.execPath, args: [CURIOUS] } } });
  const { client } = await connect(url, era);
  expect((await client.readResource({ uri: "test://notes" })).contents).toMatchObject([{ text: "a note" }]);
  await expect(client.readResource({ uri: "test://none" })).rejects.toThrow("Resource not found");
});

test("texts of resources are cleaned, their addresses and bytes are not, and a clean answer is the very same", () => {
  const contents = [
    { uri: "a:\u200b", text: "x\u200by" },
    { uri: "a:b", blob: "4oCL" },
  ];
  expect(cleanAnswer({ kind: "result", result: { contents, _meta: { own: 1 } } })).toEqual({
    kind: "result",
    result: {
      contents: [{ uri: "a:\u200b", text: "xy" }, contents[1]],
      _meta: { own: 1, "toolcrib/dropped-characters": 1 },
    },
  });
  const clean = { kind: "result", result: { contents: [contents[1]], messages: [5, { content: null }] } } as const;
  expect(cleanAnswer(clean)).toBe(clean);
});
