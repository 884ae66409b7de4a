// Claude with its own SDK: node examples/providers/anthropic.mjs
import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { anthropic, callsOf, toRequest } from "toolcrib/anthropic";
import { startLoopback } from "./loopback.mjs";
import { CALLS, openSession, QUESTION } from "./weather-session.mjs";

const server = await startLoopback(CALLS);
const session = await openSession();
const client = new Anthropic({ apiKey: "none", baseURL: server.url });
const messages = [{ role: "user", content: QUESTION }];
const ran = [];

for (;;) {
  const request = session.request();
  const payload = session.payload("anthropic");
  const stream = client.messages.stream({ model: "any", max_tokens: 1_000, messages, ...toRequest(payload) });
  const outcomes = [];
  // Calls that change nothing start while the model still writes; all others wait until it has stopped.
  const parts = callsOf(anthropic.readStream(stream, payload.names));
  for await (const outcome of session.executeCalls(request, parts)) outcomes.push(outcome);
  ran.push(...outcomes.map(({ result }) => result.textResultForLlm));
  messages.push({ role: "assistant", content: (await stream.finalMessage()).content });
  const results = anthropic.results(outcomes, payload);
  if (results.length === 0) break;
  messages.push(...results);
}

assert.deepEqual(ran, ["Sunny in Oslo", "Sunny in Rome"]);
assert.equal(messages.at(-1).content[0].text, "All 2 calls are answered.");
await session.close();
await server.close();
console.log(messages.at(-1).content[0].text);
