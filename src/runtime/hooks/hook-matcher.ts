import { RE2JS } from "re2js";
import type { HookConfig } from "../../config/config.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import { isBuiltin, isServed, type Tool } from "../../core/tool/tool.ts";
import { findBuiltin } from "../../sources/builtin/definitions.ts";

/** Claude's name for a tool, for its hooks. */
export function claudeName({ tool, wireName }: Entry): string {
  if (isServed(tool)) return `mcp__${tool.server}__${tool.name}`;
  return claudeNames(tool)[0] ?? wireName;
}

function claudeNames(tool: Tool): readonly string[] {
  return (isBuiltin(tool) && findBuiltin(tool)?.claude) || [];
}

/** Every name by which a matcher may mean a tool. */
export function hookNames(entry: Entry): readonly string[] {
  const { tool, wireName, identity } = entry;
  return [...new Set([wireName, tool.name, identity, claudeName(entry), ...tool.aliases, ...claudeNames(tool)])];
}

/**
 * Claude's rules: nothing, empty or `*` matches everything; plain names are a list of exact ones; anything else is a
 * pattern that may match anywhere in a name. Copilot's are patterns for a whole name. A pattern that cannot be parsed
 * matches every tool, so that its hook is not lost.
 */
export function isMatched(
  matcher: string | null,
  names: readonly string[],
  dialect: HookConfig["dialect"] = "toolcrib",
): boolean {
  const text = matcher?.trim() ?? "";
  if (text === "" || text === "*" || text === "**") return true;
  if (dialect === "copilot") return isFound(`^(?:${text})$`, names);
  if (/^[\w\- ,|]+$/.test(text)) {
    const wanted = text.split(/[|,]/).map((name) => name.trim());
    return names.some((name) => wanted.includes(name));
  }
  return isFound(text, names);
}

function isFound(text: string, names: readonly string[]): boolean {
  try {
    const pattern = RE2JS.compile(text);
    return names.some((name) => pattern.matcher(name).find());
  } catch {
    return true;
  }
}
