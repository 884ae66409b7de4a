import { isObject, type Params } from "../wire/json-rpc.ts";

/** Calls tools that a search found, if the list of tools must not change as a side effect (2026-07-28). */
export const CALL_TOOL = "tool_call";

export function toCallTool(name: string) {
  return {
    name,
    description:
      "Calls a tool that tool_search found. Give its name and its arguments exactly as the search result describes them.",
    inputSchema: {
      type: "object",
      properties: {
        name: { type: "string", description: "Name of the tool, as tool_search gave it" },
        arguments: { type: "object", description: "Arguments of that tool" },
      },
      required: ["name"],
    },
    annotations: { readOnlyHint: false, idempotentHint: false, openWorldHint: true },
  };
}

/** The inner call; null if there is none, and the executor then reports what is wrong with the outer one. */
export function unwrapCall(args: unknown): { readonly name: string; readonly arguments: unknown } | null {
  if (!isObject(args) || typeof args.name !== "string") return null;
  return { name: args.name, arguments: (args as Params).arguments ?? {} };
}
