import type { Catalog } from "../catalog/catalog.ts";
import { isGlob } from "../catalog/glob.ts";
import { indexNames } from "../catalog/name-index.ts";
import { findOnServer } from "../catalog/qualified-name.ts";
import { type ResolvedList, resolveList } from "../catalog/resolve-list.ts";
import type { Resolution, Resolver } from "../catalog/resolver.ts";
import type { NameList } from "../codes/origin.ts";
import { serverOf } from "../tool/tool.ts";
import type { Server } from "./scene.ts";

/** Each server's own `tools` list: names as that server spells them, or any identifier of one of its tools (G8). */
export function resolveServerTools(
  catalog: Catalog,
  servers: ReadonlyMap<string, Server>,
  resolver: Resolver,
  known: ReadonlyMap<NameList, ResolvedList>,
): ReadonlyMap<string, ResolvedList> {
  const lists = new Map<string, ResolvedList>();
  for (const { name, tools } of servers.values()) {
    if (tools === null) continue;
    const resolve = (item: string): Resolution => resolveOn(catalog, name, item, resolver);
    lists.set(name, known.get(tools) ?? resolveList(resolver, `tools of server "${name}"`, tools, resolve));
  }
  return lists;
}

const NOTHING_YET = { what: "tools that are not listed yet", entries: [], explicit: false } as const;

function resolveOn(catalog: Catalog, server: string, item: string, resolver: Resolver): Resolution {
  const tools = indexNames(catalog).servers.get(server);
  // `*` is the default anyway: nothing to wait for or to report.
  if (tools === undefined && item === "*") return { kind: "found", meaning: NOTHING_YET, others: [] };
  if (tools === undefined) return { kind: "pending", server };
  const own = findOnServer(tools, item);
  if (own.length > 0 || item === "*")
    return { kind: "found", meaning: { what: `tool of ${server}`, entries: own, explicit: !isGlob(item) }, others: [] };
  const resolution = resolver.resolve(item);
  if (resolution.kind !== "found") return resolution;
  for (const meaning of [resolution.meaning, ...resolution.others]) {
    const entries = meaning.entries.filter(({ tool }) => serverOf(tool) === server);
    if (entries.length > 0)
      return { kind: "found", meaning: { ...meaning, what: `tool of ${server}`, entries }, others: [] };
  }
  return { kind: "unknown" };
}
