import type { NamedSet } from "../../core/catalog/named-set.ts";
import { nameList } from "../../core/codes/origin.ts";
import { standsForBuiltin, type Tool } from "../../core/tool/tool.ts";
import { AGENT_TOOLS } from "./definitions/agents.ts";
import type { Builtin } from "./definitions/builtin.ts";
import { FILE_TOOLS } from "./definitions/files.ts";
import { SESSION_TOOLS } from "./definitions/session.ts";
import { SHELL_TOOLS } from "./definitions/shell.ts";

export const BUILTINS: readonly Builtin[] = [...SHELL_TOOLS, ...FILE_TOOLS, ...SESSION_TOOLS, ...AGENT_TOOLS];

const BY_NAME: ReadonlyMap<string, Builtin> = new Map(BUILTINS.map((one) => [one.tool.name, one]));

/** The definition of the built-in that a tool is or openly replaces; undefined for every other tool. */
export function findBuiltin(tool: Tool): Builtin | undefined {
  return standsForBuiltin(tool) ? BY_NAME.get(tool.name) : undefined;
}

export const BUILTIN_TOOLS: readonly Tool[] = BUILTINS.map(({ tool }) => tool);

/** Named sets by task, and Claude's family names, which are sets and so never ambiguous with a tool's alias (I6). */
export const BUILTIN_SETS: readonly NamedSet[] = [...new Set(BUILTINS.flatMap(({ sets }) => sets))].map((name) => ({
  id: `toolset:${name}`,
  name,
  members: nameList(BUILTINS.filter(({ sets }) => sets.includes(name)).map(({ tool }) => `builtin:${tool.name}`)),
}));

/** The built-in that a list means by its own name or by Claude's; any other name as it is. */
export function toBuiltinName(name: string): string {
  const own = name.replace(/^builtin:/, "");
  return BUILTINS.find(({ claude = [] }) => claude.includes(name))?.tool.name ?? own;
}

/** Tools with which an agent has others work for it. */
export const AGENT_TOOL_NAMES: readonly string[] = AGENT_TOOLS.map(({ tool }) => tool.name);
