// OpenAI with its own SDK, by the Responses API: node examples/providers/openai.mjs
import assert from "node:assert/strict";
import OpenAI from "openai";
import { toResponsesRequest } from "toolcrib/openai";
import { startLoopback } from "./loopback.mjs";
import { CALLS, openSession, QUESTION } from "./weather-session.mjs";

const server = await startLoopback(CALLS);
const session = await openSession();
const client = new OpenAI({ apiKey: "none", baseURL: `${server.url}/v1` });
const input = [{ role: "user", content: QUESTION }];
const ran = [];
let text = "";

while (text === "") {
  const fields = toResponsesRequest(session.payload("openai-responses"));
  const events = await client.responses.create({ model: "any", input, stream: true, ...fields });
  let said = "";
  const onPart = (part) => {
    if (part.type === "text") said += part.text;
  };
  for await (const { textResultForLlm } of session.execute(keepOutput(events), { onPart })) ran.push(textResultForLlm);
  const results = session.results("openai-responses");
  if (results.length === 0) text = said;
  input.push(...results);
}

/** The model's own items go back to it with the next request. */
async function* keepOutput(events) {
  for await (const event of events) {
    if (event.type === "response.completed") input.push(...event.response.output);
    yield event;
  }
}

assert.deepEqual(ran, ["Sunny in Oslo", "Sunny in Rome"]);
assert.equal(text, "All 2 calls are answered.");
await session.close();
await server.close();
console.log(text);
