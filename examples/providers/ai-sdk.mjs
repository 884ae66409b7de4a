// The Vercel AI SDK, here with the provider it brings along: node examples/providers/ai-sdk.mjs
import assert from "node:assert/strict";
import { createGateway, streamText } from "ai";
import { toSettings } from "toolcrib/ai-sdk";
import { startLoopback } from "./loopback.mjs";
import { CALLS, openSession, QUESTION } from "./weather-session.mjs";

const server = await startLoopback(CALLS);
const session = await openSession();
const model = createGateway({ apiKey: "none", baseURL: server.url })("any");
const messages = [{ role: "user", content: QUESTION }];
const ran = [];
let text = "";

while (text === "") {
  const reply = streamText({ model, messages, ...toSettings(session.payload("ai-sdk")) });
  for await (const { textResultForLlm } of session.execute(reply)) ran.push(textResultForLlm);
  messages.push(...(await reply.response).messages);
  const results = session.results("ai-sdk");
  if (results.length === 0) text = await reply.text;
  messages.push(...results);
}

assert.deepEqual(ran, ["Sunny in Oslo", "Sunny in Rome"]);
assert.equal(text, "All 2 calls are answered.");
await session.close();
await server.close();
console.log(text);
