import { factsOf, SOURCE_KINDS } from "../tool/source-kinds.ts";
import type { Entry } from "./entry.ts";
import { isGlob, toGlob } from "./glob.ts";
import type { Meaning } from "./meaning.ts";
import { findByName, findIn, type NameIndex, type ServerTools } from "./name-index.ts";
import { type ServerFronts, splitServer } from "./server-fronts.ts";
import { type SetIndex, splitSet } from "./set-members.ts";

const SOURCE_PREFIXES: ReadonlySet<string | undefined> = new Set(
  SOURCE_KINDS.flatMap((kind) => factsOf(kind).prefix ?? []),
);

/** The spellings with a set, a server or a source in front (I2). */
export function findQualified(name: string, index: NameIndex, sets: SetIndex | null): readonly Meaning[] {
  const found =
    sets === null ? [...findBySource(name, index)] : [...findInSets(name, sets), ...findBySource(name, index)];
  for (const { server, rest } of splitServer(name, index.serverFronts)) {
    const tools = index.servers.get(server);
    if (tools === undefined) continue;
    if (rest === null || rest === "*")
      found.push({ what: `server ${server}`, entries: tools.entries, explicit: false });
    else found.push(...toMeaning(`tool of ${server}`, findOnServer(tools, rest), !isGlob(rest)));
  }
  return found;
}

export interface Configured {
  readonly names: ReadonlySet<string>;
  readonly fronts: ServerFronts;
}

/** The configured server that a name belongs to when the server has not listed its tools yet (I3). */
export function findPendingServer(name: string, configured: Configured, index: NameIndex): string | null {
  if (configured.names.has(name) && !index.servers.has(name)) return name;
  return splitServer(name, configured.fronts).find(({ server }) => !index.servers.has(server))?.server ?? null;
}

/** A server's tools by their own name or a pattern. */
export function findOnServer(tools: ServerTools, rest: string): readonly Entry[] {
  if (!isGlob(rest)) return findIn(tools.byName, rest);
  const matches = toGlob(rest);
  return tools.entries.filter(({ tool }) => matches(tool.name));
}

/** `set/tool`, `set/*`. */
export function findInSets(name: string, sets: SetIndex): readonly Meaning[] {
  const found = splitSet(name, sets.find);
  if (found === null) return [];
  const { entries } = sets.members(found.set);
  if (found.matches === null) return [{ what: `toolset ${found.set.name}`, entries, explicit: false }];
  return toMeaning(`tool of toolset ${found.set.name}`, entries.filter(found.matches), !isGlob(name));
}

/** `builtin:x`, `mcp:x`, `custom:x`, `skill:x`, with x a name, a wire name or a pattern. */
function findBySource(name: string, index: NameIndex): readonly Meaning[] {
  const colon = name.indexOf(":");
  const prefix = name.slice(0, Math.max(0, colon));
  if (!SOURCE_PREFIXES.has(prefix)) return [];
  const rest = name.slice(colon + 1);
  const ofSource = ({ tool }: Entry): boolean => factsOf(tool.source).prefix === prefix;
  if (rest === "*") return [{ what: `${prefix} tools`, entries: index.all.filter(ofSource), explicit: false }];
  if (!isGlob(rest)) {
    const hits = new Set([...findByName(index, rest), ...index.findOwn(rest)].filter(ofSource));
    return toMeaning(`${prefix} tool`, [...hits], true);
  }
  const matches = toGlob(rest);
  const hits = index.all.filter((entry) => ofSource(entry) && (matches(entry.tool.name) || matches(entry.wireName)));
  return toMeaning(`${prefix} tools`, hits, false);
}

function toMeaning(what: string, entries: readonly Entry[], explicit: boolean): readonly Meaning[] {
  return entries.length === 0 ? [] : [{ what, entries, explicit }];
}
