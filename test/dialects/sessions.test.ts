import Anthropic from "@anthropic-ai/sdk";
import { type Content, GoogleGenAI } from "@google/genai";
import { createGateway, generateText, type ModelMessage, streamText } from "ai";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { startLoopback } from "../../examples/providers/loopback.mjs";
import { defineTool } from "../../src/core/tool/define-tool.ts";
import { toSettings } from "../../src/doors/ai-sdk.ts";
import { toBetaRequest, toRequest } from "../../src/doors/anthropic.ts";
import { toConfig } from "../../src/doors/gemini.ts";
import { toAllowedTools, toChatRequest, toResponsesRequest } from "../../src/doors/openai.ts";
import { createSession } from "../../src/runtime/session/library.ts";
import type { Session } from "../../src/runtime/session/public-session.ts";

const QUESTION = "Tell Ada that the build is green.";
const SEARCH = { id: "s1", name: "tool_search", input: { query: "e-mail a person" } };
const CALLS = [
  { id: "c1", name: "send_mail", input: { to: "Ada" } },
  { id: "c2", name: "send_mail", input: { to: "Bob" } },
];
const ANSWER = "All 3 calls are answered.";

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const mail = defineTool("send_mail", {
  description: "Sends an e-mail to a person",
  parameters: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  handler: async ({ to }) => `sent to ${to}`,
});
const records = Array.from({ length: 40 }, (_, at) =>
  defineTool(`record_${at}`, { description: `Reads record ${at}`, handler: async () => `record ${at}` }),
);

async function begin() {
  const server = await startLoopback([[SEARCH], CALLS]);
  const session = await createSession({
    workspace: null,
    tools: [...records, mail],
    permissions: { allow: ["send_mail", "tool_search"] },
  });
  open.push(server, session);
  return { server, session };
}

/** Runs one reply to its end. */
async function run(session: Session, reply: unknown): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { call, textResultForLlm, resultType } of session.execute(reply))
    texts.push(`${resultType} ${call.toolName === "tool_search" ? "tool_search" : textResultForLlm}`);
  return texts;
}

const RAN = [["success tool_search"], ["success sent to Ada", "success sent to Bob"], []];

describe.each([true, false])("a whole session with each provider's own SDK, streaming: %s", (stream) => {
  test("anthropic: deferred tools are loaded by reference, and the list never changes", async () => {
    const { server, session } = await begin();
    const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: QUESTION }];
    const ran: (readonly string[])[] = [];
    for (let results: Anthropic.MessageParam[] = messages; results.length > 0; ) {
      const fields = { model: "any", max_tokens: 99, messages, ...toRequest(session.payload("anthropic")) };
      const reply = stream ? client.messages.stream(fields) : client.messages.create(fields);
      ran.push(await run(session, reply));
      const { content } = "finalMessage" in reply ? await reply.finalMessage() : await reply;
      results = session.results("anthropic");
      messages.push({ role: "assistant", content }, ...results);
    }
    expect(ran).toEqual(RAN);
    expect(messages.at(-1)?.content).toMatchObject([{ text: ANSWER }]);
    const [first, second, third] = server.seen.map(({ body }) => body);
    expect(second.messages.at(-1).content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "s1",
        content: expect.arrayContaining([{ type: "tool_reference", tool_name: "send_mail" }]),
      },
    ]);
    expect([second.tools, second.system]).toEqual([first.tools, first.system]);
    expect([third.tools, third.system]).toEqual([first.tools, first.system]);
  });

  test("openai responses: the search is the client's own, answered with definitions", async () => {
    const { server, session } = await begin();
    const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: QUESTION }];
    const ran: (readonly string[])[] = [];
    for (let results: readonly unknown[] = input; results.length > 0; ) {
      const fields = { model: "any", input, ...toResponsesRequest(session.payload("openai-responses")) };
      let output: OpenAI.Responses.ResponseOutputItem[] = [];
      if (stream) {
        const events = await client.responses.create({ ...fields, stream: true });
        const kept = async function* () {
          for await (const event of events) {
            if (event.type === "response.completed") output = event.response.output;
            yield event;
          }
        };
        ran.push(await run(session, kept()));
      } else {
        const reply = client.responses.create(fields);
        ran.push(await run(session, reply));
        output = (await reply).output;
      }
      const back = session.results("openai-responses");
      input.push(...output.filter((item) => item.type === "function_call" || item.type === "tool_search_call"));
      input.push(...back);
      results = back;
    }
    expect(ran).toEqual(RAN);
    const found = server.seen[1]?.body.input.find(({ type }: { type: string }) => type === "tool_search_output");
    expect(found.tools).toContainEqual(expect.objectContaining({ type: "function", name: "send_mail" }));
    const lists = server.seen.map(({ body }) => JSON.stringify([body.tools, body.instructions]));
    expect(new Set(lists).size).toBe(1);
  });

  test("openai chat: the list grows at its end", async () => {
    const { server, session } = await begin();
    const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1`, maxRetries: 0 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: QUESTION }];
    const ran: (readonly string[])[] = [];
    for (let results: readonly unknown[] = messages; results.length > 0; ) {
      const { messages: system, ...fields } = toChatRequest(session.payload("openai-chat"));
      const request = { model: "any", messages: [...system, ...messages], ...fields };
      const reply = stream ? client.chat.completions.stream(request) : client.chat.completions.create(request);
      ran.push(await run(session, reply));
      const whole = "finalChatCompletion" in reply ? await reply.finalChatCompletion() : await reply;
      const back = session.results("openai-chat");
      messages.push(whole.choices[0]?.message ?? { role: "assistant", content: "" }, ...back);
      results = back;
    }
    expect(ran).toEqual(RAN);
    expect(messages.at(-1)?.content).toBe(ANSWER);
    expectGrown(
      server.seen.map(({ body }) => body.tools.map((tool: { function: { name: string } }) => tool.function.name)),
    );
  });

  test("gemini: the list grows at its end", async () => {
    const { server, session } = await begin();
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.url } });
    const contents: Content[] = [{ role: "user", parts: [{ text: QUESTION }] }];
    const ran: (readonly string[])[] = [];
    for (let results: readonly unknown[] = contents; results.length > 0; ) {
      const request = { model: "any", contents, config: toConfig(session.payload("gemini")) };
      const replied: Content = { role: "model", parts: [] };
      if (stream) {
        const chunks = await client.models.generateContentStream(request);
        const kept = async function* () {
          for await (const chunk of chunks) {
            replied.parts?.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
            yield chunk;
          }
        };
        ran.push(await run(session, kept()));
      } else {
        const reply = client.models.generateContent(request);
        ran.push(await run(session, reply));
        replied.parts?.push(...((await reply).candidates?.[0]?.content?.parts ?? []));
      }
      const back = session.results("gemini");
      contents.push(replied, ...back);
      results = back;
    }
    expect(ran).toEqual(RAN);
    expect(
      contents
        .at(-1)
        ?.parts?.map(({ text }) => text)
        .join(""),
    ).toBe(ANSWER);
    const declared = server.seen.map(({ body }) => body.tools[0].functionDeclarations);
    expectGrown(declared.map((list) => list.map(({ name }: { name: string }) => name)));
  });

  test("ai sdk, over HTTP to the provider that its package brings along", async () => {
    const { server, session } = await begin();
    const model = createGateway({ apiKey: "none", baseURL: server.url })("any");
    const messages: ModelMessage[] = [{ role: "user", content: QUESTION }];
    const ran: (readonly string[])[] = [];
    for (let results: ModelMessage[] = messages; results.length > 0; ) {
      const settings = { model, messages, maxRetries: 0, ...toSettings(session.payload("ai-sdk")) };
      const reply = stream ? streamText(settings) : await generateText(settings);
      ran.push(await run(session, reply));
      messages.push(...(await reply.response).messages);
      results = session.results("ai-sdk");
      messages.push(...results);
    }
    expect(ran).toEqual(RAN);
    expect(JSON.stringify(messages.at(-1))).toContain(ANSWER);
    expectGrown(server.seen.map(({ body }) => body.tools.map(({ name }: { name: string }) => name)));
  });

  test("ai sdk: a model that calls what is not there is asked again, though the SDK itself answered it", async () => {
    const server = await startLoopback([[{ id: "u1", name: "no_such_tool", input: {} }], CALLS.slice(0, 1)]);
    const session = await createSession({ workspace: null, tools: [mail], permissions: { allow: ["send_mail"] } });
    open.push(server, session);
    const model = createGateway({ apiKey: "none", baseURL: server.url })("any");
    const messages: ModelMessage[] = [{ role: "user", content: QUESTION }];
    const ran: (readonly string[])[] = [];
    for (let results: ModelMessage[] = messages; results.length > 0; ) {
      const settings = { model, messages, maxRetries: 0, ...toSettings(session.payload("ai-sdk")) };
      const reply = stream ? streamText(settings) : await generateText(settings);
      ran.push(await run(session, reply));
      messages.push(...(await reply.response).messages);
      results = session.results("ai-sdk");
      messages.push(...results);
    }
    expect(ran).toEqual([[], ["success sent to Ada"], []]);
    expect(JSON.stringify(messages.at(-1))).toContain("All 2 calls are answered.");
    expect(server.seen[1]?.body.prompt.at(-1)).toMatchObject({ role: "tool", content: [{ toolCallId: "u1" }] });
  });

  test("anthropic with tool changes: what comes and goes is told behind the messages", async () => {
    const { server, session } = await begin();
    const client = new Anthropic({ apiKey: "none", baseURL: server.url, maxRetries: 0 });
    const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: "user", content: QUESTION }];
    const added = defineTool("call_phone", { description: "Calls somebody", defer: "never", handler: async () => "" });
    for (let results: readonly unknown[] = messages; results.length > 0; ) {
      const payload = session.payload("anthropic", { toolChanges: true });
      messages.push(...payload.changes);
      const fields = { model: "any", max_tokens: 99, messages, ...toBetaRequest(payload) };
      const reply = stream ? client.beta.messages.stream(fields) : client.beta.messages.create(fields);
      await run(session, reply);
      const { content } = "finalMessage" in reply ? await reply.finalMessage() : await reply;
      const back = session.results("anthropic");
      messages.push({ role: "assistant", content }, ...back);
      results = back;
      if (server.seen.length === 1) session.setTools("phone", [added]);
      if (server.seen.length === 2) session.setTools("phone", []);
      await session.refresh();
    }
    const bodies = server.seen.map(({ body }) => body);
    const loaded = bodies.map(({ tools }) =>
      JSON.stringify(tools.filter((tool: { defer_loading?: boolean }) => tool.defer_loading !== true)),
    );
    expect(new Set(loaded).size).toBe(1);
    const changes = bodies.map((body) => body.messages.filter(({ role }: { role: string }) => role === "system"));
    const tool = { type: "tool_reference", name: "call_phone" };
    expect(changes[0]).toEqual([]);
    expect(changes[1]).toEqual([{ role: "system", content: [{ type: "tool_addition", tool }] }]);
    expect(changes[2].at(-1)).toEqual({ role: "system", content: [{ type: "tool_removal", tool }] });
    for (const { tools } of bodies.slice(1))
      expect(tools).toContainEqual(expect.objectContaining({ name: "call_phone", defer_loading: true }));
  });
});

/** Every list begins with the one before it, and what the search found is at the end. */
function expectGrown(lists: readonly (readonly string[])[]): void {
  const [first = [], second = [], third] = lists;
  expect(first.at(-1)).toBe("tool_search");
  expect(second.slice(0, first.length)).toEqual(first);
  expect(second.slice(first.length)).toContain("send_mail");
  expect(third).toEqual(second);
}

test("a request is restricted to tools that it sends: others would have it refused, and none at all is a mistake", async () => {
  const { session } = await begin();
  const payload = session.payload("openai-responses");
  // `record_1` is deferred, so its definition is not sent; the search is the provider's own.
  expect(toAllowedTools(payload, ["record_1", "nope", "tool_search", "tool_search"])).toEqual({
    type: "allowed_tools",
    mode: "auto",
    tools: [{ type: "tool_search" }],
  });
  const inline = session.payload("openai-responses", { deferral: "names" });
  expect(toAllowedTools(inline, ["tool_search", "nope"], "required")).toEqual({
    type: "allowed_tools",
    mode: "required",
    tools: [{ type: "function", name: "tool_search" }],
  });
  for (const names of [["nope", "record_1"], []])
    expect(() => toAllowedTools(payload, names)).toThrow(expect.objectContaining({ code: "filter.no-tools", names }));
});
