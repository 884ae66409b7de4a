import { dropInvisible } from "../tool/hidden-text.ts";
import type { Tool } from "../tool/tool.ts";
import { CONFUSABLES } from "./confusables.ts";
import { toIdentity } from "./wire-name.ts";

/** How a name looks to a hurried reader: `strict` for namespaced tools, `loose` for those that stand alone (N9). */
export interface Looks {
  readonly strict: string;
  readonly loose: string;
}

export function toLooks(name: string): Looks {
  const plain = /^[\u0021-\u007e]*$/.test(name) ? name : dropInvisible(name.normalize("NFKC"));
  const strict = plain.replace(/[^A-Za-z2-9_-]/gu, (character) => CONFUSABLES.get(character) ?? character);
  return { strict, loose: strict.toLowerCase().replace(/[-_. ]/g, "_") };
}

interface Namesake {
  readonly name: string;
  readonly source: Tool["source"];
  readonly server: string | null;
  readonly label: string;
}

/**
 * For each tool, in catalog order, the tool it could be taken for, or null. A built-in is never the copy; otherwise
 * the later one is.
 */
export function findLookAlikes(
  tools: readonly Tool[],
  looks: readonly Looks[],
  servers: ReadonlySet<string>,
): readonly (string | null)[] {
  const alone = new Map<string, Namesake>();
  const spaced = new Map<string, Namesake[]>();
  return tools.map((tool, at) => {
    const look = looks[at] as Looks; // One look was taken at each tool.
    if (tool.source === "mcp") return spelledServer(tool, servers) ?? findAmongServers(tool, look.strict, spaced);
    const found = tool.source === "agent" ? null : findAlone(tool, look.loose, alone);
    if (tool.source === "builtin") remember(tool, look.strict, spaced);
    return tool.source === "builtin" ? null : found;
  });
}

function findAlone(tool: Tool, look: string, alone: Map<string, Namesake>): string | null {
  const first = alone.get(look);
  if (first === undefined) {
    alone.set(look, toNamesake(tool));
    return null;
  }
  return first.name === tool.name ? null : first.label;
}

function findAmongServers(tool: Tool, look: string, spaced: Map<string, Namesake[]>): string | null {
  const earlier = spaced.get(look);
  const model = earlier?.find((other) => other.name !== tool.name && other.server !== tool.server);
  remember(tool, look, spaced);
  return model === undefined ? null : model.label;
}

/** Keeps one namesake per spelling and two servers at most: enough to find a model, and never a long list. */
function remember(tool: Tool, look: string, spaced: Map<string, Namesake[]>): void {
  const known = spaced.get(look);
  if (known === undefined) spaced.set(look, [toNamesake(tool)]);
  else if (known.length < 8 && !known.some((other) => other.name === tool.name && other.server === tool.server))
    known.push(toNamesake(tool));
}

/** A raw MCP name that spells another server's namespaced form, `github__x` or `mcp__github__x`. */
function spelledServer(tool: Tool, servers: ReadonlySet<string>): string | null {
  const rest = tool.name.startsWith("mcp__") ? tool.name.slice("mcp__".length) : tool.name;
  for (let at = rest.indexOf("__", 1); at !== -1; at = rest.indexOf("__", at + 1)) {
    const server = rest.slice(0, at);
    if (server !== tool.server && servers.has(server)) return `${server}/${rest.slice(at + 2)}`;
  }
  return null;
}

function toNamesake(tool: Tool): Namesake {
  return { name: tool.name, source: tool.source, server: tool.server, label: toIdentity(tool) };
}
