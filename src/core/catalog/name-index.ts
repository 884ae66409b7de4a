import { remember } from "../shape/remember.ts";
import { isServed } from "../tool/tool.ts";
import type { CatalogTools } from "./catalog.ts";
import type { Entry } from "./entry.ts";
import { type ServerFronts, splitServer, toServerFronts } from "./server-fronts.ts";
import { cleanName, joinName } from "./wire-name.ts";

/**
 * Every spelling under which the tools of one catalog are found, one map per kind (I1). Spellings with a server in
 * front are found through `servers`, so most tools are in two maps only.
 */
export interface NameIndex {
  readonly all: readonly Entry[];
  /** Configured ids, and the names that serve as ids of unprefixed tools. */
  readonly byId: Lookup;
  /** Names of unprefixed tools, and wire names that are not simply server and tool. */
  readonly byName: Lookup;
  readonly byAlias: Lookup;
  /** Tools by the name that their MCP server itself gives them. */
  readonly findOwn: (name: string) => readonly Entry[];
  readonly servers: ReadonlyMap<string, ServerTools>;
  readonly serverFronts: ServerFronts;
}

export interface ServerTools {
  readonly entries: readonly Entry[];
  /** Raw names, and cleaned ones where they differ. */
  readonly byName: Lookup;
}

export type Lookup = ReadonlyMap<string, Entry | readonly Entry[]>;

/** A catalog is frozen, so its index is built once, when a list first needs it. */
export const indexNames = remember((catalog: CatalogTools): NameIndex => {
  const all = [...catalog.entries, catalog.search, catalog.code];
  const byId: Growing = new Map();
  const byName: Growing = new Map();
  const byAlias: Growing = new Map();
  const served: Entry[] = [];
  const servers = new Map<string, OneServer>();
  for (const entry of all) {
    const { tool, wireName, claim } = entry;
    for (const alias of tool.aliases) add(byAlias, alias, entry);
    if (!isServed(tool)) {
      add(byId, entry.id, entry);
      add(byName, wireName, entry);
      if (tool.name !== wireName) add(byName, tool.name, entry);
      continue;
    }
    const server = tool.server ?? "";
    if (tool.id !== null && tool.id !== entry.identity) add(byId, tool.id, entry);
    // Most wire names are simply server and tool, which their claim says without joining them.
    const simple = tool.rename === null && claim.legal && claim.name === wireName;
    if (!simple && wireName !== joinName(server, tool.name, catalog.style)) add(byName, wireName, entry);
    served.push(entry);
    let tools = servers.get(server);
    if (tools === undefined) {
      tools = new OneServer();
      servers.set(server, tools);
    }
    tools.entries.push(entry);
  }
  const findOwn = createOwnNames(served);
  return { all, byId, byName, byAlias, findOwn, servers, serverFronts: toServerFronts(servers.keys()) };
});

/** Most servers are only ever asked for all of their tools. */
class OneServer implements ServerTools {
  readonly entries: Entry[] = [];
  #byName: Growing | null = null;

  get byName(): Lookup {
    if (this.#byName !== null) return this.#byName;
    this.#byName = new Map();
    for (const entry of this.entries) {
      const { name } = entry.tool;
      add(this.#byName, name, entry);
      const cleaned = cleanName(name);
      if (cleaned !== name) add(this.#byName, cleaned, entry);
    }
    return this.#byName;
  }
}

/** Looking through all tools a few times costs less than a map of them. */
const MAX_LOOKS = 4;

function createOwnNames(served: readonly Entry[]): (name: string) => readonly Entry[] {
  let looks = 0;
  let byName: Growing | null = null;
  return (name) => {
    if (byName !== null) return findIn(byName, name);
    if (looks++ < MAX_LOOKS) return served.filter(({ tool }) => tool.name === name);
    byName = new Map();
    for (const entry of served) add(byName, entry.tool.name, entry);
    return findIn(byName, name);
  };
}

export function findIn(lookup: Lookup, name: string): readonly Entry[] {
  const found = lookup.get(name);
  if (found === undefined) return NONE;
  return isOne(found) ? [found] : found;
}

/** By configured id, or by `server/tool`. */
export function findById(index: NameIndex, name: string): readonly Entry[] {
  const full = findWithServer(index, name).filter(({ identity }) => identity === name);
  return unique(findIn(index.byId, name), full);
}

/** By wire name, or by the source's name of an unprefixed tool. */
export function findByName(index: NameIndex, name: string): readonly Entry[] {
  const wire = findWithServer(index, name).filter(({ wireName }) => wireName === name);
  return unique(findIn(index.byName, name), wire);
}

function findWithServer(index: NameIndex, name: string): readonly Entry[] {
  return splitServer(name, index.serverFronts).flatMap(({ server, rest }) => {
    const tools = index.servers.get(server);
    return tools === undefined || rest === null ? NONE : findIn(tools.byName, rest);
  });
}

function unique(left: readonly Entry[], right: readonly Entry[]): readonly Entry[] {
  return right.length === 0 ? left : [...new Set([...left, ...right])];
}

const NONE: readonly Entry[] = [];

type Growing = Map<string, Entry | Entry[]>;

function add(lookup: Growing, key: string, entry: Entry): void {
  const found = lookup.get(key);
  if (found === undefined) lookup.set(key, entry);
  else if (Array.isArray(found)) {
    if (found.at(-1) !== entry) found.push(entry);
  } else if (found !== entry) lookup.set(key, [found, entry]);
}

function isOne(found: Entry | readonly Entry[]): found is Entry {
  return !Array.isArray(found);
}
