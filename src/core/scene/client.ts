import { defaultOrigin, formatOrigin, type Origin } from "../codes/origin.ts";

/** How a client program handles the tool list it gets. */
interface ClientTraits {
  /** It searches tools itself and sends a model only some of them, so deferring any would save nothing. */
  readonly ownSearch: boolean;
  /** The most tools that it accepts; null if no limit is known. */
  readonly maxTools: number | null;
  /** Whether it lists its tools again when they change. */
  readonly listChanged: boolean;
}

/** The program that tools are listed for, when Toolcrib is a gateway in front of one. */
export interface Client extends ClientTraits {
  /** The name it reports; null for any program. */
  readonly name: string | null;
  /** The table row that describes it; null if it is unknown. */
  readonly row: string | null;
  readonly origin: Origin;
  /** Some tools appeared after it had listed them, and it will not list them again. */
  readonly late: boolean;
}

/** One row of the table: all clients whose names begin like this. */
export interface ClientRow extends ClientTraits {
  readonly prefix: string;
  /** The source of the information, and when it was checked. */
  readonly source: string;
  readonly date: string;
}

/** Configured traits for clients whose names begin like this; null keeps the table's value. */
export interface ClientOverride {
  readonly origin: Origin;
  readonly ownSearch: boolean | null;
  readonly maxTools: number | null;
  readonly listChanged: boolean | null;
}

const row = (prefix: string, source: string, date: string, traits: Partial<ClientTraits>): ClientRow => ({
  ...{ prefix, source, date, ownSearch: false, maxTools: null, listChanged: true },
  ...traits,
});

/** Limits are listed only if the client's maker documents them. */
export const KNOWN_CLIENTS: readonly ClientRow[] = [
  row("claude-code", "github.com/anthropics/claude-code/issues/79826", "2026-11", {
    ownSearch: true,
    listChanged: false,
  }),
  row("Visual Studio Code", "code.visualstudio.com/docs/agents/agent-tools", "2026-11", {
    ownSearch: true,
    maxTools: 128,
  }),
  row("Visual-Studio-Code", "code.visualstudio.com/docs/agents/agent-tools", "2026-11", {
    ownSearch: true,
    maxTools: 128,
  }),
  row("cursor", "cursor.com/blog/dynamic-context-discovery", "2026-11", { ownSearch: true }),
  row("windsurf", "docs.windsurf.com/windsurf/cascade/mcp", "2026-11", { maxTools: 100 }),
  row("codex", "github.com/openai/codex/issues/33266 and 37417", "2026-11", { ownSearch: true, listChanged: false }),
  row("gemini-cli", "github.com/google-gemini/gemini-cli/issues/19509", "2026-11", { listChanged: false }),
  row("Zed", "github.com/apify/mcp-client-capabilities", "2026-11", {}),
];

/** Assumed of an unknown client: it sends its model everything, and lists again when notified. */
const UNKNOWN: ClientTraits = { ownSearch: false, maxTools: null, listChanged: true };

/**
 * The traits of a client by its reported name, ignoring case; the longest matching prefix counts. Configuration comes
 * before the table, trait by trait.
 */
export function toClient(name: string | null, overrides: ReadonlyMap<string, ClientOverride> = new Map()): Client {
  const shipped = name === null ? undefined : longest(name, KNOWN_CLIENTS, ({ prefix }) => prefix);
  const own = name === null ? undefined : longest(name, [...overrides], ([prefix]) => prefix);
  const known = shipped ?? UNKNOWN;
  const said = own?.[1];
  const row = own?.[0] ?? shipped?.prefix ?? null;
  return {
    name,
    row,
    ownSearch: said?.ownSearch ?? known.ownSearch,
    maxTools: said?.maxTools ?? known.maxTools,
    listChanged: said?.listChanged ?? known.listChanged,
    origin: said?.origin ?? defaultOrigin,
    late: false,
  };
}

/** Which row decided, and what that means for the list. */
export function describeClient(client: Client): string {
  const { name, row, origin, ownSearch, maxTools, listChanged } = client;
  const who = name === null ? "any client" : JSON.stringify(name.slice(0, 60));
  const gets = ownSearch
    ? `searches by itself, so it gets every tool${maxTools === null ? "" : ` up to ${maxTools}`}`
    : `gets every tool${maxTools === null ? "" : ` up to ${maxTools}`} while definitions are small enough`;
  const notice = listChanged ? "" : "; it does not ask again when tools change";
  const shipped = KNOWN_CLIENTS.find(({ prefix }) => prefix === row);
  const from =
    origin.kind === "default"
      ? shipped === undefined
        ? "not a known client"
        : `known client ${JSON.stringify(shipped.prefix)}: ${shipped.source}, ${shipped.date}`
      : formatOrigin(origin);
  return `${who} ${gets}${notice} (${from})`;
}

/** The setting that would override a client's traits. */
export function settingFor({ row, name }: Client): string {
  const key = row ?? name ?? "NAME";
  return `gateway.knownClients.${/^[\w-]+$/.test(key) ? key : JSON.stringify(key.slice(0, 60))}`;
}

function longest<T>(name: string, rows: readonly T[], prefixOf: (row: T) => string): T | undefined {
  const folded = name.toLowerCase();
  let found: T | undefined;
  for (const row of rows) {
    const prefix = prefixOf(row).toLowerCase();
    if (folded.startsWith(prefix) && (found === undefined || prefix.length > prefixOf(found).length)) found = row;
  }
  return found;
}
