import { cleanName } from "./wire-name.ts";

export interface Split {
  readonly server: string;
  /** Null: the whole server was named. */
  readonly rest: string | null;
}

/** Servers by the spellings that can precede a tool's name: the raw and the cleaned one. */
export type ServerFronts = ReadonlyMap<string, readonly string[]>;

export function toServerFronts(servers: Iterable<string>): ServerFronts {
  const fronts = new Map<string, string[]>();
  for (const server of servers) {
    for (const front of new Set([server, cleanName(server)])) {
      const known = fronts.get(front);
      if (known === undefined) fronts.set(front, [server]);
      else known.push(server);
    }
  }
  return fronts;
}

/** No honest name has more separators; searching further would only help an attacker who wants it slow. */
const MAX_SEPARATORS = 32;

/**
 * Reads `server/x`, `server__x`, `server-x`, `mcp__server__x` and `mcp__server` against the servers that exist. A name
 * is never split blindly, because server names may contain any of these separators (N2).
 */
export function splitServer(name: string, fronts: ServerFronts): readonly Split[] {
  const splits: Split[] = [];
  const claude = name.startsWith("mcp__") ? name.slice("mcp__".length) : null;
  if (claude !== null) for (const server of fronts.get(claude) ?? []) splits.push({ server, rest: null });
  const cut = (text: string, separator: string): void => {
    let at = text.indexOf(separator, 1);
    for (let tries = 0; at !== -1 && tries < MAX_SEPARATORS; tries++) {
      const rest = text.slice(at + separator.length);
      if (rest !== "") for (const server of fronts.get(text.slice(0, at)) ?? []) splits.push({ server, rest });
      at = text.indexOf(separator, at + 1);
    }
  };
  cut(name, "/");
  cut(name, "__");
  if (claude !== null) cut(claude, "__");
  cut(name, "-");
  return splits;
}
