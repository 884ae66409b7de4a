import { approveAll, CopilotClient, defineTool } from "@github/copilot-sdk";
import { z } from "zod";

const getWeather = defineTool("get_weather", {
  description: "The weather of a city today",
  parameters: z.object({
    city: z.string().describe("City name"),
    units: z.enum(["celsius", "fahrenheit"]).default("celsius"),
  }),
  handler: ({ city, units }) => ({ city, sky: "rain", degrees: units === "fahrenheit" ? 46 : 8 }),
});

const client = new CopilotClient();
const session = await client.createSession({
  model: process.env.MODEL ?? "anthropic/claude-sonnet-4-5",
  onPermissionRequest: approveAll,
  tools: [getWeather],
});
session.on("tool.execution_complete", ({ data }) => console.log(`The tool said: ${data.result?.content}`));

const answer = await session.sendAndWait({ prompt: "Do I need a coat in Lyon today?" });
console.log(answer?.data.content);
await client.stop();
