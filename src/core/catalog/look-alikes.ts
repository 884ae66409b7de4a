import { dropInvisible } from "../tool/hidden-text.ts";
import { factsOf } from "../tool/source-kinds.ts";
import { isBuiltin, isServed, type Tool } from "../tool/tool.ts";
import { CONFUSABLES } from "./confusables.ts";
import { toIdentity } from "./wire-name.ts";

/** How a name looks to a hurried reader: `strict` for namespaced tools, `loose` for tools without a namespace. */
export interface Looks {
  readonly strict: string;
  readonly loose: string;
}

/** Any character but these may look like another. */
const LOOKS_LIKE_ANOTHER = /[^A-HJ-Za-z2-9_.-]/;

export function toLooks(tool: Tool): Looks {
  const { name } = tool;
  if (isServed(tool) && !LOOKS_LIKE_ANOTHER.test(name)) return { strict: name, loose: name };
  const plain = /^[\u0021-\u007e]*$/.test(name) ? name : dropMarks(dropInvisible(toTwins(name).normalize("NFKC")));
  const folded = plain.replace(/[^A-Za-z2-9_.-]/gu, (character) => CONFUSABLES.get(character) ?? character);
  // A capital i passes for an l; where case is ignored it is an i.
  const strict = folded.replaceAll("I", "l");
  return { strict, loose: isServed(tool) ? strict : folded.toLowerCase().replace(/[-_. ]/g, "_") };
}

/** Run before and after widths and styles are folded, because folding turns a few look-alikes into other letters. */
function toTwins(name: string): string {
  return name.replace(/[^\p{ASCII}]/gu, (character) => CONFUSABLES.get(character) ?? character);
}

/** Latin letters without their diacritics: `réad` passes for `read`. In other scripts marks are letters. */
function dropMarks(name: string): string {
  return name
    .normalize("NFD")
    .replace(/(\p{Script=Latin})\p{M}+/gu, "$1")
    .normalize("NFC");
}

/** The servers whose names a tool could spell: those that are configured, and those of all tools. */
export function spellableServers(
  tools: readonly { readonly tool: Tool }[],
  configured: Iterable<string>,
): ReadonlySet<string | null> {
  const servers = new Set<string | null>(configured);
  let last: string | null = null;
  for (const { tool } of tools) {
    if (!isServed(tool) || (tool.server === last && last !== null)) continue;
    last = tool.server;
    servers.add(last);
  }
  return servers;
}

/** Whether the look of a tool alone does not say what it could be taken for. */
export function maySpellServer({ tool }: { readonly tool: Tool }): boolean {
  return isServed(tool) && tool.name.includes("__");
}

/** By which look a tool is compared with others. */
export function lookOf({ tool, looks }: { readonly tool: Tool; readonly looks: Looks }): string {
  return isServed(tool) ? looks.strict : looks.loose;
}

/**
 * For each tool, in catalog order, the tool it could be taken for, or null. A built-in is never the copy; otherwise
 * the later one is. A tool depends on others with its strict or its loose look alone, and on the servers.
 */
export function findLookAlikes(
  tools: readonly { readonly tool: Tool; readonly looks: Looks; readonly off: boolean }[],
  servers: ReadonlySet<string | null>,
  search: Tool,
): readonly (string | null)[] {
  const isServer = createServerFinder(servers);
  const alone = new Map([[toLooks(search).loose, search]]);
  const spaced = new Map<string, Tool | Tool[]>([[toLooks(search).strict, search]]);
  return tools.map(({ tool, looks: { strict, loose }, off }) => {
    if (factsOf(tool.source).named === true || off) return null;
    if (isServed(tool)) return spelledServer(tool, isServer) ?? findAmongServers(tool, strict, spaced);
    if (isBuiltin(tool)) remember(tool, strict, spaced);
    const first = alone.get(loose);
    if (first === undefined) alone.set(loose, tool);
    return first === undefined || first.name === tool.name || isBuiltin(tool) ? null : toIdentity(first);
  });
}

/** Compared with honest namesakes only: a detected copy does not turn later tools into copies. */
function findAmongServers(tool: Tool, look: string, spaced: Map<string, Tool | Tool[]>): string | null {
  const earlier = spaced.get(look);
  const namesakes = earlier === undefined ? [] : Array.isArray(earlier) ? earlier : [earlier];
  const model = namesakes.some(({ name }) => name === tool.name)
    ? undefined
    : namesakes.find((other) => !isServed(other) || other.server !== tool.server);
  if (model === undefined) remember(tool, look, spaced);
  return model === undefined ? null : toIdentity(model);
}

/** A few namesakes are enough to find the one that is copied, and keep the search short. */
const MAX_NAMESAKES = 8;

function remember(tool: Tool, look: string, spaced: Map<string, Tool | Tool[]>): void {
  const earlier = spaced.get(look);
  if (earlier === undefined) spaced.set(look, tool);
  else if (!Array.isArray(earlier)) {
    if (!isSame(earlier, tool)) spaced.set(look, [earlier, tool]);
  } else if (earlier.length < MAX_NAMESAKES && !earlier.some((other) => isSame(other, tool))) earlier.push(tool);
}

function isSame(left: Tool, right: Tool): boolean {
  return left.name === right.name && left.server === right.server && left.source === right.source;
}

/** No honest name has more; searching further would only help an attacker who wants it slow. */
const MAX_SEPARATORS = 32;

/** Finds servers regardless of case. Most catalogs never need it. */
function createServerFinder(servers: ReadonlySet<string | null>): (name: string) => string | null {
  let byCase: Map<string, string> | null = null;
  return (name) => {
    if (servers.has(name)) return name;
    byCase ??= new Map([...servers].flatMap((server) => (server === null ? [] : [[server.toLowerCase(), server]])));
    return byCase.get(name.toLowerCase()) ?? null;
  };
}

/** A raw MCP name that spells another server's namespaced form, `github__x` or `mcp__github__x`. */
function spelledServer({ name, server: own }: Tool, findServer: (name: string) => string | null): string | null {
  if (!name.includes("__")) return null;
  for (const spelled of /^mcp__/i.test(name) ? [name, name.slice("mcp__".length)] : [name]) {
    let at = spelled.indexOf("__", 1);
    for (let tries = 0; at !== -1 && tries < MAX_SEPARATORS; tries++, at = spelled.indexOf("__", at + 1)) {
      const server = findServer(spelled.slice(0, at));
      if (server !== null && server !== own) return `${server}/${spelled.slice(at + 2)}`;
    }
  }
  return null;
}
