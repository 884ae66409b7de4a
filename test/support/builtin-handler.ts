import { BUILTINS } from "../../src/sources/builtin/definitions.ts";
import type { BuiltinHandler } from "../../src/sources/builtin/parts/handler.ts";

/** The code that runs a built-in tool, by the tool's name. */
export async function loadHandler(name: string): Promise<BuiltinHandler> {
  const family = await BUILTINS.find(({ tool }) => tool.name === name)?.load();
  const handler = family?.handlers.get(name);
  if (handler === undefined) throw new Error(`no tool ${name}`);
  return handler;
}
