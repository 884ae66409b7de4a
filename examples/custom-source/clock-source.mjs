import { CONNECTED, toTool } from "toolcrib";

/**
 * A source with one tool, which tells the time: all that `sources` of `createSession` needs.
 * @returns {import("toolcrib").Source}
 */
export function createClockSource(now = () => new Date()) {
  const tools = [toTool({ name: "now", source: "module", description: "Tells the time", traits: { readOnly: true } })];
  let closed = false;
  /** @returns {import("toolcrib").ToolResult} */
  const fail = (/** @type {string} */ textResultForLlm) => ({ textResultForLlm, resultType: "failure" });
  return {
    kind: "module",
    name: "clock",
    status: CONNECTED,
    list: async () => tools,
    async run(tool, _args, { signal }) {
      if (closed) return fail("The clock is closed.");
      if (signal.aborted) return fail("The call was cancelled.");
      if (tool.name !== "now") return fail(`There is no tool ${tool.name}.`);
      return { textResultForLlm: now().toISOString(), resultType: "success" };
    },
    changes: () => () => {},
    close: async () => {
      closed = true;
    },
  };
}
