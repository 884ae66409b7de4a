import { type Tool, type ToolFields, toTool } from "../../../core/tool/tool.ts";
import type { BuiltinFamily, BuiltinHandler } from "../parts/handler.ts";
import type { Touches } from "./touches.ts";

/** One built-in tool: what it is, apart from the code that runs it. */
export interface Builtin {
  readonly tool: Tool;
  /** The named sets that it is in, by task and as other products call them. */
  readonly sets: readonly string[];
  /** What its calls touch; nothing that rules have words for if absent, save the commands of a tool with `hostShell`. */
  readonly touches?: Touches;
  /** The argument with the one file that a call touches, so that only calls on the same file wait for each other. */
  readonly oneFile?: string;
  /** What Claude Code calls the tools that do the same, for hooks that were written for it; the closest first. */
  readonly claude?: readonly string[];
  /** What Claude's tools call its arguments, besides a path and the texts of a change. */
  readonly claudeFields?: ReadonlyMap<string, string>;
  /** Loads the code that runs it, which nobody pays for who never calls it; the same function for tools that share something. */
  readonly load: () => Promise<BuiltinFamily>;
}

export function builtin(given: ToolFields & Omit<Builtin, "tool">): Builtin {
  const { sets, load, touches, oneFile, claude, claudeFields, ...fields } = given;
  const stated = Object.entries({ touches, oneFile, claude, claudeFields }).filter(([, value]) => value !== undefined);
  return { tool: toTool(fields), sets, load, ...Object.fromEntries(stated) };
}

/** Loads a tool that shares nothing with others and keeps nothing between calls. */
export function alone(load: () => Promise<BuiltinHandler>): Builtin["load"] {
  return async () => {
    const handler = await load();
    return { handlers: { get: () => handler }, close: async () => {} };
  };
}
