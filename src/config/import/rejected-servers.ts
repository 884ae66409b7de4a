import { join } from "node:path";
import { formatOrigin, type Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, nodeAt } from "../../core/shape/node.ts";
import { readNames } from "../../core/shape/read-node.ts";
import { productFolder, showPath } from "../layers/find-files.ts";
import type { Readers } from "../layers/readers.ts";
import type { ForeignPlaces } from "./find-foreign.ts";
import type { ImportContext, ImportedServer } from "./import-servers.ts";
import { PRODUCTS, type Product } from "./products.ts";
import { readForeign } from "./read-foreign.ts";

/** Why a server of a file must not start. */
export interface Rejection {
  readonly key: string;
  readonly origin: Origin;
}

/** The servers that a person told Claude Code not to start: of `.mcp.json`, and of all it knows. */
export async function loadRejected(
  places: ForeignPlaces,
  claudeHome: ConfigNode | undefined,
  readers: Readers,
): Promise<(product: Product, name: string) => Rejection | null> {
  const { cwd } = places;
  const project = nodeAt(claudeHome, "projects", cwd);
  const roots: (ConfigNode | null | undefined)[] = [project];
  const own = ["settings.local.json", "settings.json"].map((name) => join(cwd, ".claude", name));
  for (const path of [...own, join(productFolder(".claude", places), "settings.json")]) {
    // Unreadable files are reported where the rest of them is read.
    const root = readers
      .readText(path)
      .then((text) => (text === null ? null : readForeign(text, showPath(path, places))));
    roots.push(await root.catch(() => null));
  }
  const ofFile = namesUnder("disabledMcpjsonServers", roots);
  const ofAny = namesUnder("disabledMcpServers", [project]);
  return (product, name) =>
    (product === "claude-code" ? ofFile.get(name) : null) ??
    (product === "claude-code" || product === "claude-home" ? ofAny.get(name) : null) ??
    null;
}

/** Gemini and its kin have a list of servers that they do not start, and a list of the only ones that they start. */
export function rejectedByList(root: ConfigNode, product: Product, name: string): Rejection | null {
  if (PRODUCTS[product].startLists !== true) return null;
  const excluded = readNames(nodeAt(root, "mcp", "excluded"))?.value.find(({ value }) => value === name);
  if (excluded !== undefined) return { key: "mcp.excluded", origin: excluded.origin };
  const allowed = nodeAt(root, "mcp", "allowed");
  const names = readNames(allowed)?.value;
  if (allowed === undefined || names === undefined || names.some(({ value }) => value === name)) return null;
  return { key: "mcp.allowed", origin: allowed.origin };
}

function namesUnder(key: string, roots: readonly (ConfigNode | null | undefined)[]): ReadonlyMap<string, Rejection> {
  const names = roots.flatMap((root) => readNames(nodeAt(root ?? undefined, key))?.value ?? []);
  return new Map(names.map(({ value, origin }) => [value, { key, origin }]));
}

/** A rejected server stays rejected: it is imported and not started. */
export function withoutStart(
  server: ImportedServer,
  { key, origin }: Rejection,
  leave: ImportContext["leave"],
): ImportedServer {
  const why = `${key} (${formatOrigin(origin)}) says no; enabled: true starts it`;
  leave(`the start of server "${server.name}"`, why, server.origin);
  return { ...server, entry: { ...server.entry, enabled: false } };
}
