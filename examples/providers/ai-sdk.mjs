// The Vercel AI SDK, here with its test model in place of a provider: node examples/providers/ai-sdk.mjs
import assert from "node:assert/strict";
import { streamText } from "ai";
import { MockLanguageModelV3, simulateReadableStream } from "ai/test";
import { aiSdk, callsOf, toSettings } from "toolcrib/ai-sdk";
import { CALLS, openSession, QUESTION } from "./weather-session.mjs";

const session = await openSession();
const messages = [{ role: "user", content: QUESTION }];
const model = new MockLanguageModelV3({ doStream: async ({ prompt }) => ({ stream: replyTo(prompt) }) });
const ran = [];
let text = "";

while (text === "") {
  const request = session.request();
  const payload = session.payload("ai-sdk");
  const reply = streamText({ model, messages, ...toSettings(payload) });
  const outcomes = [];
  const parts = callsOf(aiSdk.readStream(reply.fullStream, payload.names));
  for await (const outcome of session.executeCalls(request, parts)) outcomes.push(outcome);
  ran.push(...outcomes.map(({ result }) => result.textResultForLlm));
  messages.push(...(await reply.response).messages);
  const results = aiSdk.results(outcomes, payload);
  if (results.length === 0) text = await reply.text;
  messages.push(...results);
}

/** Asks for both calls first, and is content once it has their results. */
function replyTo(prompt) {
  const answered = prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content).length;
  const calls = answered > 0 ? [] : CALLS.flat();
  const chunks = [
    { type: "stream-start", warnings: [] },
    ...calls.map(({ id, name, input }) => ({
      type: "tool-call",
      toolCallId: id,
      toolName: name,
      input: JSON.stringify(input),
    })),
    ...(calls.length > 0
      ? []
      : [
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: `All ${answered} calls are answered.` },
          { type: "text-end", id: "t" },
        ]),
    {
      type: "finish",
      finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
    },
  ];
  return simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null });
}

assert.deepEqual(ran, ["Sunny in Oslo", "Sunny in Rome"]);
assert.equal(text, "All 2 calls are answered.");
await session.close();
console.log(text);
