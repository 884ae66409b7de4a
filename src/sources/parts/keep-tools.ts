import { toCanonicalJson } from "../../core/tool/canonical-json.ts";
import type { Tool } from "../../core/tool/tool.ts";

const texts = new WeakMap<Tool, string | null>();

/**
 * The next list, reusing the previous objects for tools that did not change, and the previous list itself if none did,
 * so that everything computed about them stays valid.
 */
export function keepTools(previous: readonly Tool[], next: readonly Tool[]): readonly Tool[] {
  const known = new Map<string, Tool[]>();
  for (const tool of previous) {
    const text = textOf(tool);
    if (text === null) continue;
    const same = known.get(text);
    if (same === undefined) known.set(text, [tool]);
    else same.push(tool);
  }
  const kept = next.map((tool) => known.get(textOf(tool) ?? "")?.shift() ?? tool);
  const same = kept.length === previous.length && kept.every((tool, at) => tool === previous[at]);
  return same ? previous : kept;
}

/** Everything about a tool, including what its signature leaves out; null for one that contains itself. */
function textOf(tool: Tool): string | null {
  const known = texts.get(tool);
  if (known !== undefined) return known;
  const text = readText(tool);
  texts.set(tool, text);
  return text;
}

function readText(tool: Tool): string | null {
  try {
    return toCanonicalJson(tool).text;
  } catch {
    return null;
  }
}
