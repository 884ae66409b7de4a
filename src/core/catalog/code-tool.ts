import { type Tool, toTool } from "../tool/tool.ts";

export const CODE_NAME = "run_code";

/**
 * The tool that runs code instead of single calls. Like `tool_search` it belongs to no source and is listed after the
 * catalog, outside its hash. It needs no permission of its own, also in plan mode: the calls inside are judged (K6).
 */
export const CODE_TOOL: Tool = toTool({
  name: CODE_NAME,
  description: [
    "Runs TypeScript that calls tools as functions. Write the body of an async function; only what it returns or logs comes back, so filter and combine there.",
    'First look up what you need: return await tools.search("words for the task") gives [{ call, description }], call being a function with its types; await tools.describe("server.function") gives one in full. What was looked up can be called from then on, in later runs too.',
    "Then await server.function({ … }): its result is data where the type says so, else text (JSON.parse it if it is JSON). Use Promise.all for calls that do not depend on each other. A call that fails throws an error whose message says why. There are no files, network, modules or timers, and variables do not outlive a run.",
  ].join("\n"),
  inputSchema: {
    type: "object",
    properties: { code: { type: "string", description: "TypeScript or JavaScript: the body of an async function" } },
    required: ["code"],
  },
});
