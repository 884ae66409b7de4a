// Gemini with its own SDK: node examples/providers/gemini.mjs
import assert from "node:assert/strict";
import { GoogleGenAI } from "@google/genai";
import { toConfig } from "toolcrib/gemini";
import { startLoopback } from "./loopback.mjs";
import { CALLS, openSession, QUESTION } from "./weather-session.mjs";

const server = await startLoopback(CALLS);
const session = await openSession();
const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.url } });
const contents = [{ role: "user", parts: [{ text: QUESTION }] }];
const ran = [];
let text = "";

while (text === "") {
  const config = toConfig(session.payload("gemini"));
  const chunks = await client.models.generateContentStream({ model: "any", contents, config });
  const replied = { role: "model", parts: [] };
  const reply = keepParts(chunks, replied.parts);
  for await (const { textResultForLlm } of session.execute(reply)) ran.push(textResultForLlm);
  contents.push(replied);
  const results = session.results("gemini");
  if (results.length === 0) text = replied.parts.map((part) => part.text ?? "").join("");
  contents.push(...results);
}

/** The model's parts go back to it unchanged, with the signatures of its thoughts. */
async function* keepParts(chunks, kept) {
  for await (const chunk of chunks) {
    kept.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
    yield chunk;
  }
}

assert.deepEqual(ran, ["Sunny in Oslo", "Sunny in Rome"]);
assert.equal(text, "All 2 calls are answered.");
await session.close();
await server.close();
console.log(text);
