import { defaultOrigin, formatOrigin, type Origin } from "../codes/origin.ts";

/** What a program does with a list of tools that it is given. */
interface ClientTraits {
  /** It finds tools by itself and sends a model only some of them, so there is nothing to save by holding any back. */
  readonly ownSearch: boolean;
  /** The most tools that it takes; null: no limit is known. */
  readonly maxTools: number | null;
  /** Whether it asks for its tools again when they change. */
  readonly listChanged: boolean;
}

/** The program that tools are listed for, where Toolcrib stands in front of one. */
export interface Client extends ClientTraits {
  /** As it calls itself; null: any program. */
  readonly name: string | null;
  /** The row of the table that says what it does; null: nobody knows it. */
  readonly row: string | null;
  readonly origin: Origin;
  /** Some of its tools came after it had asked for them, and it will not ask again. */
  readonly late: boolean;
}

/** One row of the table: all clients whose names begin like this. */
export interface ClientRow extends ClientTraits {
  readonly prefix: string;
  /** Who says so, and when that was looked up. */
  readonly source: string;
  readonly date: string;
}

/** What a configuration says of clients whose names begin like this; what is null stays as the table has it. */
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

/** A limit stands here only where the client's maker says so. */
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

/** What is assumed of an unknown client: that it sends its model everything, and asks again when it is told to. */
const UNKNOWN: ClientTraits = { ownSearch: false, maxTools: null, listChanged: true };

/**
 * What is known of a client by the name it gave. Names are compared without regard to capitals, and the longest beginning
 * counts; a configuration's word comes before that of the table, trait by trait.
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

/** The setting that says something else of a client. */
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
