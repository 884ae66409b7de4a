import { describe, expect, onTestFinished, test } from "vitest";
import { buildCurious } from "../../../test/fixtures/curious-server.mjs";
import { listen, sessionAnswer, statelessAnswer } from "../../../test/support/loopback-mcp.ts";
import {
  call,
  curious,
  openSource,
  packagedServer,
  runContext,
  testClient,
  toolOf,
} from "../../../test/support/mcp-sources.ts";
import { type AtEnd, share } from "../../../test/support/share.ts";
import type { PeerClient } from "../peer.ts";
import type { McpResult } from "./mcp-result.ts";
import type { McpSource } from "./mcp-source.ts";

/** Processes start slowly on a busy machine. */
const never = new AbortController().signal;

function ask(source: McpSource, method: string, params: object = {}, client: PeerClient | null = null) {
  return source.peer.request(method, { ...params }, { signal: never, client });
}

const result = (value: object) => ({ kind: "result", result: expect.objectContaining(value) });

/** Everything the server tells of its own accord, and a way to wait for one such message. */
function hearing(source: McpSource) {
  const heard: [string, unknown][] = [];
  let wake = () => {};
  source.peer.onNotification((method, params) => {
    heard.push([method, params]);
    wake();
  });
  const hears = async (method: string) => {
    for (;;) {
      const found = heard.find(([name]) => name === method);
      if (found !== undefined) return found[1];
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { heard, hears };
}

const SERVERS: readonly [string, "legacy" | "modern", (atEnd: AtEnd) => Promise<McpSource>][] = [
  ["2025-11-25 on stdio", "legacy", async (atEnd) => openSource(curious("legacy"), { atEnd })],
  ["2026-07-28 on stdio", "modern", async (atEnd) => openSource(curious(), { atEnd })],
  [
    "2025-11-25 over HTTP",
    "legacy",
    async (atEnd) => {
      const { url } = await listen(
        sessionAnswer(undefined, () => buildCurious()),
        0,
        atEnd,
      );
      return openSource({ url }, { atEnd });
    },
  ],
  [
    "2026-07-28 over HTTP",
    "modern",
    async (atEnd) => {
      const build = () => buildCurious({ touch: (uri) => updated(uri) });
      const { answer, updated } = statelessAnswer(undefined, build, atEnd);
      const { url } = await listen(answer, 0, atEnd);
      return openSource({ url }, { atEnd });
    },
  ],
];

describe.each(SERVERS)("%s", (_, era, open) => {
  const opened = share(open);

  test("what the server says about itself is kept, also what the package does not know", async () => {
    const source = opened();
    await toolOf(source, "echo");
    expect(source.peer.era).toBe(era);
    expect(source.peer.capabilities).toMatchObject({ logging: {}, experimental: { dice: { sides: 6 } } });
    expect(source.peer.serverInfo).toEqual({ name: "curious", version: "1.2.3", title: "Curious" });
  });

  test("resources, prompts and completions pass as they are, and errors keep code, message and data", async () => {
    const source = opened();
    const notes = { name: "notes", uri: "test://notes", mimeType: "text/plain", _meta: { kept: true } };
    expect(await ask(source, "resources/list")).toEqual(result({ resources: [notes] }));
    const [template, prompt] = [
      { name: "by id", uriTemplate: "test://item/{id}" },
      { name: "greet", title: "Greet" },
    ];
    expect(await ask(source, "resources/templates/list")).toEqual(result({ resourceTemplates: [template] }));
    expect(await ask(source, "resources/read", { uri: "test://notes" })).toEqual(
      result({ contents: [expect.objectContaining({ text: "a note", _meta: { line: 1 } })] }),
    );
    expect(await ask(source, "resources/read", { uri: "test://item/7" })).toEqual(
      result({ contents: [{ uri: "test://item/7", text: "item 7" }] }),
    );
    expect(await ask(source, "resources/read", { uri: "test://nothing" })).toEqual({
      kind: "error",
      code: -32602,
      message: "Resource not found: test://nothing",
      data: { uri: "test://nothing" },
    });
    expect(await ask(source, "prompts/list")).toEqual(result({ prompts: [expect.objectContaining(prompt)] }));
    const messages = [{ role: "user", content: { type: "text", text: "Hello Ada" } }];
    expect(await ask(source, "prompts/get", { name: "greet", arguments: { name: "Ada" } })).toEqual(
      result({ messages }),
    );
    const completing = { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "name", value: "A" } };
    expect(await ask(source, "completion/complete", completing)).toEqual(
      result({ completion: { values: ["Ada", "Alan"], total: 2, hasMore: false } }),
    );
    expect(await ask(source, "nonsense/x")).toMatchObject({ kind: "error", code: -32601 });
  });

  test.each(["initialize", "server/discover", "subscriptions/listen"])("%s is not passed on", async (method) => {
    const source = opened();
    expect(await ask(source, method)).toMatchObject({ kind: "error", code: -32601 });
    expect(await call(source, "echo", { text: "fine" })).toMatchObject({ textResultForLlm: "fine" });
  });

  test("questions reach the client behind the call, and the answers the tool", async () => {
    const source = opened();
    const client = testClient("ada");
    const { textResultForLlm } = await call(source, "ask", { who: "we" }, runContext({ client }));
    expect(JSON.parse(textResultForLlm)).toEqual({
      answers: {
        name: { action: "accept", content: { name: "ada" } },
        thought: { role: "assistant", model: "ada", content: { type: "text", text: "hm" } },
      },
      state: "st@te ü=",
    });
    expect(client.asked.map(({ method }) => method)).toEqual(["elicitation/create", "sampling/createMessage"]);
    expect(client.asked[0]?.params).toMatchObject({ message: "Who are we?" });
    expect(await call(source, "ask-roots", {}, runContext({ client }))).toMatchObject({
      textResultForLlm: '{"roots":{"roots":[{"uri":"file:///ada"}]}}',
    });
    await call(source, "ask-url", {}, runContext({ client }));
    expect(client.asked.at(-1)?.params).toMatchObject({ mode: "url", url: "https://example.com/pay" });
  });

  test("a client that cannot be asked, or none at all, is a failure for the tool and nobody is asked", async () => {
    const source = opened();
    const shy = testClient("shy", { capabilities: { sampling: {}, roots: {} } });
    const formless = testClient("formless", { capabilities: { sampling: {}, elicitation: { url: {} } } });
    for (const client of [shy, formless]) {
      expect(await call(source, "ask", {}, runContext({ client }))).toMatchObject({ resultType: "failure" });
      expect(client.asked.filter(({ method }) => method === "elicitation/create")).toEqual([]);
    }
    expect(await call(source, "ask")).toMatchObject({ resultType: "failure" });
    const urls = testClient("no addresses", { capabilities: { elicitation: {} } });
    expect(await call(source, "ask-url", {}, runContext({ client: urls }))).toMatchObject({ resultType: "failure" });
    expect(urls.asked).toEqual([]);
  });

  test("an answer that is an error reaches the tool's caller as a failure", async () => {
    const source = opened();
    const client = testClient("no", {
      ask: async (questions) =>
        new Map([...questions.keys()].map((key) => [key, { kind: "error", code: -1, message: "I would rather not" }])),
    });
    const { resultType, textResultForLlm } = await call(source, "ask", {}, runContext({ client }));
    expect(resultType).toBe("failure");
    expect(textResultForLlm).toContain("I would rather not");
  });

  test("a server that asks again and again is stopped", async () => {
    const source = opened();
    const client = testClient("patient");
    expect(await call(source, "ask-forever", {}, runContext({ client }))).toMatchObject({ resultType: "failure" });
    expect(client.asked.length).toBeLessThanOrEqual(10);
  });

  test("progress and log lines of a call reach its client, without the token", async () => {
    const source = opened();
    await ask(source, "logging/setLevel", { level: "debug" });
    const { heard } = hearing(source);
    const client = testClient("ada");
    const steps: unknown[] = [];
    await call(source, "log", {}, runContext({ client, onProgress: (step) => steps.push(step) }));
    expect(client.told).toEqual([
      ["notifications/message", { level: "warning", data: { about: "this call" }, logger: "tests" }],
      ["notifications/progress", { progress: 1, total: 3, message: "one" }],
    ]);
    expect(steps).toEqual([{ progress: 1, total: 3, message: "one" }]);
    expect(heard).toEqual([]);
  });

  test("the caller's traces are passed on, and what is between two ends of a connection is not", async () => {
    const source = opened();
    const meta = {
      traceparent: "00-1-2-01",
      "example.com/own": 7,
      progressToken: "theirs",
      "io.modelcontextprotocol/protocolVersion": "1999-01-01",
      "io.modelcontextprotocol/clientInfo": { name: "theirs" },
    };
    const { textResultForLlm } = await call(source, "meta", {}, runContext({ client: testClient("ada"), meta }));
    const seen = JSON.parse(textResultForLlm);
    expect(seen.meta).toEqual({
      traceparent: "00-1-2-01",
      "example.com/own": 7,
      progressToken: expect.any(Number),
    });
    if (era === "legacy") return;
    expect(seen.envelope).toMatchObject({
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "toolcrib" },
      "io.modelcontextprotocol/clientCapabilities": { sampling: {}, roots: {} },
    });
  });

  test("a tool's definition keeps everything that its server said", async () => {
    const source = opened();
    const rich = await toolOf(source, "rich");
    const said = { name: "rich", title: "Rich", annotations: { destructiveHint: false } };
    expect(source.peer.definitionOf(rich)).toMatchObject({ ...said, _meta: { "example.com/kept": 1 } });
    expect(source.peer.definitionOf({ ...rich, description: "overridden", original: rich })).toMatchObject(said);
    expect(source.peer.definitionOf({ ...rich })).toBeNull();
  });

  test("a result keeps everything that its server said", async () => {
    const source = opened();
    const { wire, textResultForLlm }: McpResult = await call(source, "rich");
    expect(textResultForLlm).toBe("hello");
    expect(wire).toMatchObject({
      content: [{ type: "text", text: "hello", annotations: { audience: ["user"], priority: 0.5 }, _meta: { a: 1 } }],
      structuredContent: { b: 2 },
      _meta: { c: 3 },
    });
  });

  test("a request that is no longer wanted rejects with the signal's reason", async () => {
    // Its own: the server may still be at work on it when others ask.
    const source = await open(onTestFinished);
    await toolOf(source, "echo");
    const gone = new AbortController();
    const client = testClient("slow", { ask: () => new Promise(() => gone.abort(new Error("left"))) });
    const call = { name: "ask", arguments: {} };
    await expect(source.peer.request("tools/call", call, { signal: gone.signal, client })).rejects.toThrow("left");
    await expect(source.peer.request("prompts/list", {}, { signal: gone.signal, client })).rejects.toThrow("left");
  });
});

describe.each(SERVERS.filter(([, era]) => era === "modern"))("%s", (_, __, open) => {
  const opened = share(open);

  test("subscribing to a resource is a wish on the stream of changes", async () => {
    const source = opened();
    const { hears, heard } = hearing(source);
    expect(await ask(source, "resources/subscribe", { uri: "test://notes" })).toEqual(result({}));
    await call(source, "touch", { uri: "test://other" });
    await call(source, "touch", { uri: "test://notes" });
    expect(await hears("notifications/resources/updated")).toEqual({ uri: "test://notes" });
    expect(heard).toHaveLength(1);
  });
});

describe("the reference server on stdio", () => {
  const everything = () => openSource({ command: process.execPath, args: [packagedServer("everything"), "stdio"] });

  test("asks for sampling, forms and addresses, and is answered", async () => {
    const source = everything();
    const client = testClient("ada");
    const context = runContext({ client });
    const sampled = await call(source, "trigger-sampling-request", { prompt: "hello" }, context);
    expect(sampled.textResultForLlm).toContain('"model": "ada"');
    const elicited = await call(source, "trigger-elicitation-request", {}, context);
    expect(elicited).toMatchObject({ resultType: "success", textResultForLlm: expect.stringContaining("ada") });
    expect(client.asked[0]?.params).toMatchObject({ systemPrompt: "You are a helpful test server." });
  });

  test("tells of updated resources, and knows prompts and tasks", async () => {
    const source = everything();
    const { hears } = hearing(source);
    const uri = "demo://resource/dynamic/text/1";
    expect(await ask(source, "resources/subscribe", { uri })).toEqual(result({}));
    await call(source, "toggle-subscriber-updates");
    expect(await hears("notifications/resources/updated")).toMatchObject({ uri });
    expect(await ask(source, "prompts/list")).toEqual(result({ prompts: expect.any(Array) }));
    expect(await ask(source, "tasks/list")).toEqual(result({ tasks: [] }));
  });
});
