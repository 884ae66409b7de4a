import { type Tool, type ToolFields, toTool } from "../../../core/tool/tool.ts";
import type { BuiltinFamily, BuiltinHandler } from "../parts/handler.ts";
import type { Touches } from "./touches.ts";

/** One built-in tool as data, without the code that runs it. */
export interface Builtin {
  readonly tool: Tool;
  /** The named sets that contain it, by task and by the names of other products. */
  readonly sets: readonly string[];
  /** What its calls touch; if absent, nothing that rules can name, except the commands of a tool with `hostShell`. */
  readonly touches?: Touches;
  /** The argument with the only file that a call touches, so that only calls on the same file wait for each other. */
  readonly oneFile?: string;
  /** Claude Code's names for equivalent tools, for hooks that were written for it; the closest first. */
  readonly claude?: readonly string[];
  /** Claude's names for its arguments, in addition to a path and the texts of a change. */
  readonly claudeFields?: ReadonlyMap<string, string>;
  /** Loads the code that runs it, only when it is first called. Tools that share state share this function. */
  readonly load: () => Promise<BuiltinFamily>;
}

export function builtin(given: ToolFields & Omit<Builtin, "tool">): Builtin {
  const { sets, load, touches, oneFile, claude, claudeFields, ...fields } = given;
  const stated = Object.entries({ touches, oneFile, claude, claudeFields }).filter(([, value]) => value !== undefined);
  return { tool: toTool(fields), sets, load, ...Object.fromEntries(stated) };
}

/** Loads a tool that shares nothing with others and keeps no state between calls. */
export function alone(load: () => Promise<BuiltinHandler>): Builtin["load"] {
  return async () => {
    const handler = await load();
    return { handlers: { get: () => handler }, close: async () => {} };
  };
}
