// An agent in twenty lines, here with Claude's own SDK. `check.mjs` runs it without a key.
import Anthropic from "@anthropic-ai/sdk";
import { createSession, defineTool } from "toolcrib";
import { toRequest } from "toolcrib/anthropic";

const weather = defineTool("weather", {
  description: "Says what the weather is like in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  handler: async ({ city }) => `Sunny in ${city}`,
});

/** @param {string} question @param {Anthropic} [client] */
export async function answer(question, client = new Anthropic()) {
  const session = await createSession({ tools: [weather] });
  /** @type {Anthropic.MessageParam[]} */
  const messages = [{ role: "user", content: question }];
  for (;;) {
    const tools = toRequest(session.payload("anthropic"));
    const reply = client.messages.stream({ model: "claude-opus-4-5", max_tokens: 1_000, messages, ...tools });
    for await (const { textResultForLlm } of session.execute(reply)) console.log(textResultForLlm);
    messages.push({ role: "assistant", content: (await reply.finalMessage()).content });
    const results = session.results("anthropic");
    messages.push(...results);
    if (results.length === 0 || results.endTurn) break;
  }
  await session.close();
  return messages;
}
