// Claude with its own SDK: node examples/providers/anthropic.mjs
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { toRequest } from "toolcrib/anthropic";
import { startLoopback } from "./loopback.mjs";
import { CALLS, openSession, QUESTION } from "./weather-session.mjs";

const server = await startLoopback(CALLS);
const session = await openSession();
const client = new Anthropic({ apiKey: "none", baseURL: server.url });
const messages = [{ role: "user", content: QUESTION }];
const ran = [];

for (;;) {
  const fields = toRequest(session.payload("anthropic"));
  const reply = client.messages.stream({ model: "any", max_tokens: 1_000, messages, ...fields });
  // Calls that change nothing start while the model still writes; all others wait until it has stopped.
  for await (const { textResultForLlm } of session.execute(reply)) ran.push(textResultForLlm);
  messages.push({ role: "assistant", content: (await reply.finalMessage()).content });
  const results = session.results("anthropic");
  if (results.length === 0 || results.endTurn) break;
  messages.push(...results);
}

assert.deepEqual(ran, ["Sunny in Oslo", "Sunny in Rome"]);
assert.equal(messages.at(-1).content[0].text, "All 2 calls are answered.");
await session.close();
await server.close();
console.log(messages.at(-1).content[0].text);
