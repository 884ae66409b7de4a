// The session that all examples of this folder share: one tool of the program's own, which runs without asking.
import { createSession, defineTool } from "toolcrib";

const weather = defineTool("get_weather", {
  description: "Says what the weather is like in a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  traits: { readOnly: true, idempotent: true },
  handler: async ({ city }) => `Sunny in ${city}`,
});

export const QUESTION = "What is the weather in Oslo and Rome?";

/** The calls that the loopback server asks for, as a model would. */
export const CALLS = [
  [
    { id: "call_1", name: "get_weather", input: { city: "Oslo" } },
    { id: "call_2", name: "get_weather", input: { city: "Rome" } },
  ],
];

export function openSession() {
  return createSession({ tools: [weather], workspace: null });
}
