import { type Tool, toTool } from "../tool/tool.ts";

export const CODE_NAME = "run_code";

/**
 * The tool that runs code in place of single calls. Like `tool_search` it belongs to no source, stands behind the catalog and
 * is not in its hash. It needs no permission of its own, and stays while planning: the calls inside are judged (K6).
 */
export const CODE_TOOL: Tool = toTool({
  name: CODE_NAME,
  description: [
    "Runs TypeScript that calls tools as functions. Write the body of an async function; only what it returns or logs comes back, so filter and combine there.",
    'First look up what you need: return await tools.search("words for the task") gives functions with their types, await tools.describe("server.function") one of them in full. Functions that were looked up can be called from then on, in later runs too.',
    "Call them as await server.function({ … }); use Promise.all for calls that do not depend on each other. A call that fails throws an error whose message says why. There are no files, network, modules or timers.",
  ].join("\n"),
  inputSchema: {
    type: "object",
    properties: { code: { type: "string", description: "TypeScript or JavaScript: the body of an async function" } },
    required: ["code"],
  },
});
