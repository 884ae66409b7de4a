import { type Tool, toTool } from "../tool/tool.ts";

export const SEARCH_NAME = "tool_search";

/** Finds deferred tools. It belongs to no source and comes after the catalog's entries, outside its hash (C1). */
export const SEARCH_TOOL: Tool = toTool({
  name: SEARCH_NAME,
  aliases: ["tool_search_tool", "tool_search_tool_regex", "ToolSearch"],
  description:
    "Finds tools that are available but not loaded, and loads them. Query with words that describe the task, `select:name_a,name_b` for exact names, `+word` for a word the name must hold, or `/regex/`.",
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", description: "Words, select:a,b, +word or /regex/" },
      limit: { type: "integer", minimum: 1, maximum: 20, description: "How many tools to return; 5 if absent" },
      server: { type: "string", description: "Only tools of this server" },
      task: { type: "string", description: "What the tools are for, to rank them better" },
      more: { type: "boolean", description: "The next page of the previous query" },
    },
    required: ["query"],
  },
  traits: { readOnly: true, idempotent: true, openWorld: false },
});
