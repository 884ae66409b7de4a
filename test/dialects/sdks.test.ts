import Anthropic from "@anthropic-ai/sdk";
import { type Content, GoogleGenAI } from "@google/genai";
import { generateText, type ModelMessage, streamText } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV3 } from "ai/test";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { startLoopback } from "../../examples/providers/loopback.mjs";
import type { AnsweredCall } from "../../src/core/call/message.ts";
import { buildCatalog } from "../../src/core/catalog/catalog.ts";
import type { DialectName } from "../../src/core/dialects/limits/limits.ts";
import type { StreamPart } from "../../src/core/dialects/stream/stream-part.ts";
import { buildToolset } from "../../src/core/toolset/build-toolset.ts";
import { promote } from "../../src/core/toolset/promotions.ts";
import type { Toolset } from "../../src/core/toolset/toolset.ts";
import { aiSdk, toSettings } from "../../src/doors/ai-sdk.ts";
import { anthropic, toRequest } from "../../src/doors/anthropic.ts";
import { gemini, toConfig } from "../../src/doors/gemini.ts";
import {
  openaiChat,
  openaiResponses,
  toAllowedTools,
  toChatRequest,
  toResponsesRequest,
} from "../../src/doors/openai.ts";
import { aMcpTool, aScene, aTool } from "../fixtures/builders.ts";
import { PROVIDER_RULES } from "./provider-rules.ts";
import { loadRealTools } from "./real-catalogs.ts";

const schema = { type: "object", properties: { "user id": { type: "string" } }, required: ["user id"] };
const catalog = buildCatalog([
  aTool({ name: "view", description: "Shows a file", inputSchema: schema, instructions: "Look before you leap." }),
  aMcpTool("github/list_issues", { description: "Lists issues", inputSchema: schema }),
  aMcpTool("github/create_issue", { inputSchema: schema }),
  ...loadRealTools().slice(0, 200),
]);
const scene = aScene({ toolSearch: { value: { use: "on" }, origin: { kind: "default" } } });
const before = buildToolset(catalog, scene);
const after = buildToolset(catalog, {
  ...scene,
  promoted: promote(
    scene.promoted,
    catalog,
    catalog.entries.filter(({ wireName }) => wireName === "github__list_issues"),
  ),
});

const search = { id: "s1", name: "tool_search", input: { query: "issues" } };
const calls = (key: string, inNamespace = false) => [
  { id: "c1", name: "view", input: { [key]: "1" } },
  inNamespace
    ? { id: "c2", name: "list_issues", namespace: "github", input: { [key]: "2" } }
    : { id: "c2", name: "github__list_issues", input: { [key]: "2" } },
];

/** What a session would do: run each call; the search loads one tool. */
function answer(parts: readonly StreamPart[], ran: unknown[]): readonly AnsweredCall[] {
  expect(parts.at(-1)).toMatchObject({ type: "stop", confirmed: true });
  return parts.flatMap((part) => {
    if (part.type !== "call") return [];
    ran.push([part.call.toolName, part.call.arguments]);
    const loaded = part.call.toolName === "tool_search" ? { loaded: ["github__list_issues"] } : {};
    return [{ call: part.call, result: { textResultForLlm: `ran ${part.call.id}`, resultType: "success" }, ...loaded }];
  });
}

const RAN = [
  ["tool_search", { query: "issues" }],
  ["view", { "user id": "1" }],
  ["github__list_issues", { "user id": "2" }],
];

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function loopback(rounds: Parameters<typeof startLoopback>[0]) {
  const server = await startLoopback(rounds);
  open.push(server);
  return server;
}

async function all(parts: AsyncIterable<StreamPart>): Promise<readonly StreamPart[]> {
  const read: StreamPart[] = [];
  for await (const part of parts) read.push(part);
  return read;
}

/** What went over the wire keeps to the provider's rules. */
function expectLegal(dialect: DialectName, tools: readonly { name?: string; schema: unknown }[]): void {
  expect(tools.length).toBeGreaterThan(0);
  const { name: pattern, schema: checks } = PROVIDER_RULES[dialect];
  for (const { name, schema: sent } of tools) {
    if (name !== undefined) expect(name).toMatch(pattern);
    if (sent !== undefined) expect(checks.flatMap((check) => check(Object(sent)))).toEqual([]);
  }
}

const toolsetFor = (ran: readonly unknown[]): Toolset => (ran.length === 0 ? before : after);
const keyFor = (toolset: Toolset, dialect: typeof anthropic): string =>
  Object.keys(dialect.payload(toolset).tools[0]?.input_schema.properties ?? {})[0] ?? "";

describe.each([true, false])("with the providers' own SDKs, streaming: %s", (stream) => {
  test("anthropic", async () => {
    const server = await loopback([[search], calls(keyFor(before, anthropic))]);
    const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Which issues are open?" }];
    const ran: unknown[] = [];
    let text = "";
    while (text === "") {
      const payload = anthropic.payload(toolsetFor(ran));
      const request = { model: "loopback", max_tokens: 1_000, messages, ...toRequest(payload) };
      let parts: readonly StreamPart[];
      if (stream) {
        const reply = client.messages.stream(request);
        parts = await all(anthropic.readStream(reply, payload.names));
        messages.push({ role: "assistant", content: (await reply.finalMessage()).content });
      } else {
        const reply = await client.messages.create(request);
        parts = anthropic.readResponse(reply, payload.names);
        messages.push({ role: "assistant", content: reply.content });
      }
      const results = anthropic.results(answer(parts, ran), payload);
      if (results.length === 0) text = textIn(parts);
      messages.push(...results);
    }
    expect(ran).toEqual(RAN);
    expect(text).toBe("All 3 calls are answered.");
    const [first, second] = server.seen;
    expect(JSON.stringify(second?.body.tools)).toBe(JSON.stringify(first?.body.tools));
    expectLegal(
      "anthropic",
      first?.body.tools.map((tool: { name: string; input_schema: unknown }) => ({
        name: tool.name,
        schema: tool.input_schema,
      })),
    );
  });

  test("openai responses", async () => {
    const server = await loopback([[search], calls("user id", true)]);
    const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: "Which issues are open?" }];
    const ran: unknown[] = [];
    let text = "";
    while (text === "") {
      const payload = openaiResponses.payload(toolsetFor(ran));
      const tool_choice = toAllowedTools(payload, ["view"]);
      const request = { model: "loopback", input, ...toResponsesRequest(payload), tool_choice };
      let parts: readonly StreamPart[];
      let output: OpenAI.Responses.ResponseOutputItem[] = [];
      if (stream) {
        const events = await client.responses.create({ ...request, stream: true });
        parts = await all(
          openaiResponses.readStream(
            (async function* () {
              for await (const event of events) {
                if (event.type === "response.completed") output = event.response.output;
                yield event;
              }
            })(),
            payload.names,
          ),
        );
      } else {
        const reply = await client.responses.create(request);
        output = reply.output;
        parts = openaiResponses.readResponse(reply, payload.names);
      }
      input.push(...output.filter((item) => item.type === "function_call" || item.type === "tool_search_call"));
      const results = openaiResponses.results(answer(parts, ran), payload);
      if (results.length === 0) text = textIn(parts);
      input.push(...results);
    }
    expect(ran).toEqual(RAN);
    expect(text).toBe("All 3 calls are answered.");
    const { body } = server.seen[2] ?? { body: {} };
    expect(body.instructions).toContain("Look before you leap.");
    const found = body.input.find(({ type }: { type: string }) => type === "tool_search_output");
    expectLegal(
      "openai-responses",
      [...body.tools, ...found.tools[0].tools].map((tool) => ({ name: tool.name, schema: tool.parameters })),
    );
  });

  test("openai chat", async () => {
    const server = await loopback([[search], calls("user id")]);
    const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Which issues are open?" }];
    const ran: unknown[] = [];
    let text = "";
    while (text === "") {
      const payload = openaiChat.payload(toolsetFor(ran));
      const { messages: system, ...fields } = toChatRequest(payload);
      const request = { model: "loopback", messages: [...system, ...messages], ...fields };
      let parts: readonly StreamPart[];
      if (stream) {
        const reply = client.chat.completions.stream(request);
        parts = await all(openaiChat.readStream(reply, payload.names));
        messages.push((await reply.finalChatCompletion()).choices[0]?.message ?? { role: "assistant", content: "" });
      } else {
        const reply = await client.chat.completions.create(request);
        parts = openaiChat.readResponse(reply, payload.names);
        messages.push(reply.choices[0]?.message ?? { role: "assistant", content: "" });
      }
      const results = openaiChat.results(answer(parts, ran), payload);
      if (results.length === 0) text = textIn(parts);
      messages.push(...results);
    }
    expect(ran).toEqual(RAN);
    expect(text).toBe("All 3 calls are answered.");
    const sent = server.seen.map(({ body }) =>
      body.tools.map((tool: { function: { name: string } }) => tool.function.name),
    );
    expect(sent).toEqual([
      ["view", "tool_search"],
      ["view", "tool_search", "github__list_issues"],
      ["view", "tool_search", "github__list_issues"],
    ]);
    expectLegal(
      "openai-chat",
      server.seen[1]?.body.tools.map((tool: { function: { name: string; parameters: unknown } }) => ({
        name: tool.function.name,
        schema: tool.function.parameters,
      })),
    );
  });

  test("gemini", async () => {
    const properties = gemini.payload(before).tools[0]?.functionDeclarations[0]?.parametersJsonSchema?.properties ?? {};
    const server = await loopback([[search], calls(Object.keys(properties)[0] ?? "")]);
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.url } });
    const contents: Content[] = [{ role: "user", parts: [{ text: "Which issues are open?" }] }];
    const ran: unknown[] = [];
    let text = "";
    while (text === "") {
      const payload = gemini.payload(toolsetFor(ran));
      const request = { model: "loopback", contents, config: toConfig(payload) };
      const replied: Content = { role: "model", parts: [] };
      let parts: readonly StreamPart[];
      if (stream) {
        const chunks = await client.models.generateContentStream(request);
        parts = await all(
          gemini.readStream(
            (async function* () {
              for await (const chunk of chunks) {
                replied.parts?.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
                yield chunk;
              }
            })(),
            payload.names,
          ),
        );
      } else {
        const reply = await client.models.generateContent(request);
        replied.parts?.push(...(reply.candidates?.[0]?.content?.parts ?? []));
        parts = gemini.readResponse(reply, payload.names);
      }
      contents.push(replied);
      const results = gemini.results(answer(parts, ran), payload);
      if (results.length === 0) text = textIn(parts);
      contents.push(...results);
    }
    expect(ran).toEqual(RAN);
    expect(text).toBe("All 3 calls are answered.");
    const declared = server.seen[1]?.body.tools[0].functionDeclarations;
    expectLegal(
      "gemini",
      declared.map((tool: { name: string; parametersJsonSchema: unknown }) => ({
        name: tool.name,
        schema: tool.parametersJsonSchema,
      })),
    );
  });

  test("ai sdk", async () => {
    const key = Object.keys(aiSdk.payload(before).tools.view?.inputSchema.jsonSchema.properties ?? {})[0] ?? "";
    const rounds = [[search], calls(key), []];
    const sent: (readonly string[])[] = [];
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const next = (tools: readonly { name: string }[] = []) => {
      sent.push(tools.map(({ name }) => name));
      const round = rounds[sent.length - 1] ?? [];
      const content = round.map(({ id, name, input }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: name,
        input: JSON.stringify(input),
      }));
      const finishReason = { unified: round.length > 0 ? ("tool-calls" as const) : ("stop" as const), raw: undefined };
      return { content, finishReason };
    };
    const model = new MockLanguageModelV3({
      doGenerate: async ({ tools }) => {
        const { content, finishReason } = next(tools);
        return {
          content: content.length > 0 ? content : [{ type: "text", text: "Done." }],
          finishReason,
          usage,
          warnings: [],
        };
      },
      doStream: async ({ tools }) => {
        const { content, finishReason } = next(tools);
        const text = [
          { type: "text-start" as const, id: "t" },
          { type: "text-delta" as const, id: "t", delta: "Done." },
          { type: "text-end" as const, id: "t" },
        ];
        const parts = [
          { type: "stream-start" as const, warnings: [] },
          ...(content.length > 0 ? content : text),
          { type: "finish" as const, finishReason, usage },
        ];
        return { stream: convertArrayToReadableStream(parts) };
      },
    });
    const messages: ModelMessage[] = [{ role: "user", content: "Which issues are open?" }];
    const ran: unknown[] = [];
    let text = "";
    while (text === "") {
      const payload = aiSdk.payload(toolsetFor(ran));
      const settings = { model, messages, ...toSettings(payload) };
      let parts: readonly StreamPart[];
      if (stream) {
        const reply = streamText(settings);
        parts = await all(aiSdk.readStream(reply.fullStream, payload.names));
        messages.push(...(await reply.response).messages);
      } else {
        const reply = await generateText(settings);
        parts = aiSdk.readResponse(reply, payload.names);
        messages.push(...reply.response.messages);
      }
      const results = aiSdk.results(answer(parts, ran), payload);
      if (results.length === 0) text = textIn(parts);
      messages.push(...results);
    }
    expect(ran).toEqual(RAN);
    expect(text).toBe("Done.");
    expect(sent).toEqual([
      ["view", "tool_search"],
      ["view", "tool_search", "github__list_issues"],
      ["view", "tool_search", "github__list_issues"],
    ]);
  });
});

function textIn(parts: readonly StreamPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}
