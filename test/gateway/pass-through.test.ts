import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startFixture } from "../conformance/fixture-server.ts";
import { type AtEnd, share } from "../support/share.ts";
import { type ClientEra, type ConnectOptions, connect, textOf } from "./clients.ts";
import { type GatewayWorld, openGateway } from "./world.ts";

async function open(server: ClientEra, config: object = {}, atEnd: AtEnd = onTestFinished): Promise<GatewayWorld> {
  const fixture = await startFixture(server);
  atEnd(() => fixture.close());
  const mcpServers = { fix: { type: "http", url: fixture.url } };
  return openGateway({ mcpServers, includeTools: ["fix"], toolSearch: "off", ...config }, { atEnd });
}

const ERAS = ["legacy", "modern"] as const;
const COMBINATIONS = ERAS.flatMap((server) => ERAS.map((client) => [client, server] as const));

describe.each(COMBINATIONS)("a %s client before a %s server", (era, server) => {
  /** One for all that change nothing about the server. */
  const shared = share((atEnd) => open(server, {}, atEnd));
  const join = (options?: ConnectOptions) => connect(shared().url, era, options);

  test("sees the server's tools under stable names, and gets results exactly as the server gave them", async () => {
    const { client } = await join();
    const { errors } = shared();
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "fix__test_simple_text")).toMatchObject({
      description: "Gives test_simple_text",
      inputSchema: { type: "object" },
    });
    const mixed = await client.callTool({ name: "fix__test_multiple_content_types", arguments: {} });
    expect(mixed.content).toMatchObject([
      { type: "text" },
      { type: "image", mimeType: "image/png" },
      { type: "resource", resource: { uri: "test://mixed-content-resource" } },
    ]);
    const failed = await client.callTool({ name: "fix__test_error_handling", arguments: {} });
    expect(failed).toMatchObject({ isError: true });
    expect(textOf(failed)).toContain("intentionally");
    expect(errors).toEqual([]);
  });

  test("has its trace passed on, and nothing that speaks of its own connection", async () => {
    const { client } = await join();
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const call = { name: "fix__test_meta", arguments: {}, _meta: { traceparent, "example/own": 1 } };
    const meta = JSON.parse(textOf(await client.callTool(call, { onprogress: () => {} })));
    expect(meta).toMatchObject({ traceparent, "example/own": 1 });
    expect(meta.progressToken).not.toBe(0);
  });

  test("hears of progress and of log messages at the level it asked for", async () => {
    const { client, told } = await join();
    const steps: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void steps.push(progress);
    await client.callTool({ name: "fix__test_tool_with_progress", arguments: {} }, { onprogress });
    expect(steps).toEqual([0, 50, 100]);
    const call = (level: string) =>
      era === "legacy"
        ? { name: "fix__test_tool_with_logging", arguments: {} }
        : {
            name: "fix__test_tool_with_logging",
            arguments: {},
            _meta: { "io.modelcontextprotocol/logLevel": level },
          };
    if (era === "legacy") await client.setLoggingLevel("debug");
    await client.callTool(call("debug"));
    expect(told.logs).toEqual(["Tool execution started", "Tool processing data", "Tool execution completed"]);
    if (era === "legacy") await client.setLoggingLevel("error");
    await client.callTool(call("error"));
    expect(told.logs).toHaveLength(3);
  });

  test("is asked by the server in the middle of a call: forms, sampling and roots", async () => {
    const { client, told } = await join({
      form: () => ({ action: "accept", content: { name: "Ada" } }),
      canSample: true,
      roots: ["file:///here"],
    });
    const call = async (name: string, args = {}) =>
      textOf(await client.callTool({ name: `fix__${name}`, arguments: args }));
    expect(await call("test_input_required_result_elicitation")).toContain("Ada");
    expect(await call("test_sampling", { prompt: "Say" })).toContain("sampled");
    expect(await call("test_input_required_result_list_roots")).toContain("file:///here");
    expect(await call("test_input_required_result_multiple_inputs")).toMatch(/Ada.*sampled.*file:\/\/\/here/);
    expect(await call("test_input_required_result_multi_round")).toBe("Both steps done");
    expect(told.asked).toHaveLength(8);
    // A client knows the gateway alone, so a question has to say which server behind it asks.
    const named = /^(The MCP server "fix" asks: |This request comes from the MCP server "fix"\.|roots$)/;
    expect(told.asked.filter((said) => !named.test(said))).toEqual([]);
  });

  test("that cannot be asked gets a refusal, and the server no answer made up for it", async () => {
    const { client } = await join();
    const call = client.callTool({ name: "fix__test_sampling", arguments: { prompt: "Say" } });
    const text = await call.then(textOf, (error: Error) => `${error.message} ${JSON.stringify(error)}`);
    expect(text).toMatch(/sampling/i);
    expect(text).not.toContain("LLM response");
  });

  test("gets prompts, completions and resources, and what a prompt asks for", async () => {
    const { client } = await join({ form: () => ({ action: "accept", content: { context: "tests" } }) });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain("fix__test_prompt_with_arguments");
    const filled = await client.getPrompt({
      name: "fix__test_prompt_with_arguments",
      arguments: { arg1: "a", arg2: "b" },
    });
    expect(JSON.stringify(filled.messages)).toContain("arg1='a', arg2='b'");
    const asking = await client.getPrompt({ name: "fix__test_input_required_result_prompt" });
    expect(JSON.stringify(asking.messages)).toContain("tests");
    const { completion } = await client.complete({
      ref: { type: "ref/prompt", name: "fix__test_prompt_with_arguments" },
      argument: { name: "arg1", value: "x" },
    });
    expect(completion.values).toEqual(["x-one", "x-two"]);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("test://static-text");
    const { contents } = await client.readResource({ uri: "test://template/7/data" });
    expect(JSON.stringify(contents)).toContain("Data for ID: 7");
    await expect(client.readResource({ uri: "test://nowhere" })).rejects.toMatchObject({ code: -32602 });
    await expect(client.getPrompt({ name: "test_simple_prompt" })).rejects.toMatchObject({ code: -32602 });
  });

  test("hears of changed lists of tools and prompts", async () => {
    const heard = new Set<string>();
    const { client } = await connect((await open(server)).url, era, { onList: (what) => void heard.add(what) });
    const before = (await client.listTools()).tools.length;
    heard.clear();
    /** What a server says before anybody listens is lost, so it may have to change again. */
    const change = async (what: "tool" | "prompt") => {
      for (let round = 0; round < 5 && !heard.has(`${what}s`); round += 1) {
        await client.callTool({ name: `fix__test_trigger_${what}_change`, arguments: {} });
        await vi.waitFor(() => expect(heard).toContain(`${what}s`), { timeout: 5_000 }).catch(() => {});
      }
      expect(heard).toContain(`${what}s`);
    };
    await change("tool");
    // What was heard may still have been about the start of the server.
    await vi.waitFor(async () => expect((await client.listTools()).tools.length).toBeGreaterThan(before), 30_000);
    await change("prompt");
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain("fix__test_dynamic_prompt_1");
  });

  test("hears of the resources that it watches, and of no others", async () => {
    const { client } = await join();
    await client.listTools();
    const heard: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
    const update = async () => {
      await client.callTool({ name: "fix__test_trigger_update", arguments: {} });
    };
    const uri = "test://watched-resource";
    await update();
    const subscription = era === "legacy" ? null : await client.listen({ resourceSubscriptions: [uri] });
    if (era === "legacy") await client.subscribeResource({ uri });
    for (let round = 0; round < 5 && heard.length === 0; round += 1) {
      await update();
      await vi.waitFor(() => expect(heard).toContain(uri), { timeout: 5_000 }).catch(() => {});
    }
    expect(new Set(heard)).toEqual(new Set([uri]));
    if (era === "legacy") await client.unsubscribeResource({ uri });
    await subscription?.close();
    // What was on its way arrives before that.
    await client.callTool({ name: "fix__test_tool_with_progress", arguments: {} });
    heard.length = 0;
    await update();
    await client.callTool({ name: "fix__test_tool_with_progress", arguments: {} });
    expect(heard).toEqual([]);
  });

  test("sees one server's tools and prompts unprefixed where that is configured", async () => {
    const { client } = await connect((await open(server, { gateway: { unprefixed: "fix" } })).url, era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("test_simple_text");
    expect(tools.map(({ name }) => name)).not.toContain("fix__test_simple_text");
    expect(textOf(await client.callTool({ name: "test_simple_text", arguments: {} }))).toContain(
      "simple text response",
    );
    expect(textOf(await client.callTool({ name: "fix__test_simple_text", arguments: {} }))).toContain("simple text");
    const { messages } = await client.getPrompt({ name: "test_simple_prompt" });
    expect(messages).toHaveLength(1);
  });
});
