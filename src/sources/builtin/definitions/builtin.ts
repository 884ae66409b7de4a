import { type Tool, type ToolFields, toTool } from "../../../core/tool/tool.ts";
import type { BuiltinFamily, BuiltinHandler } from "../handler.ts";

/** One built-in tool: what it is, apart from the code that runs it. */
export interface Builtin {
  readonly tool: Tool;
  /** The named sets that it is in, by task and as other products call them. */
  readonly sets: readonly string[];
  /** Loads the code that runs it, which nobody pays for who never calls it; the same function for tools that share something. */
  readonly load: () => Promise<BuiltinFamily>;
}

export function builtin({ sets, load, ...fields }: ToolFields & Pick<Builtin, "sets" | "load">): Builtin {
  return { tool: toTool(fields), sets, load };
}

/** Loads a tool that shares nothing with others and keeps nothing between calls. */
export function alone(load: () => Promise<BuiltinHandler>): Builtin["load"] {
  return async () => {
    const handler = await load();
    return { handlers: { get: () => handler }, close: async () => {} };
  };
}
