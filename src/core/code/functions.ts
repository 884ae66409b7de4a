import { remember } from "../shape/remember.ts";
import { factsOf } from "../tool/source-kinds.ts";
import { serverOf, type Tool } from "../tool/tool.ts";
import type { Placement, Toolset } from "../toolset/toolset.ts";
import { toIdentifier } from "./identifier.ts";

/** A permitted tool as code calls it: `server.name({ … })`. */
export interface CodeFunction {
  /** `server.name`, both as valid JavaScript identifiers. */
  readonly path: string;
  readonly server: string;
  readonly placement: Placement;
}

/** What code can call in one toolset. Hidden tools are absent, so nothing can find, name or suggest them. */
export interface CodeFunctions {
  /** The objects that hold the functions, in catalog order. */
  readonly servers: readonly string[];
  readonly all: readonly CodeFunction[];
  /** By path, or by any other name that people and searches use for a tool. */
  find(name: string): CodeFunction | undefined;
  of(placement: Placement): CodeFunction | undefined;
}

export const toFunctions: (toolset: Toolset) => CodeFunctions = remember((toolset) => {
  const { catalog, placements } = toolset;
  const servers = new Map<string, string>();
  const takenServers = new Set<string>();
  const paths = new Map<string, CodeFunction>();
  const others = new Map<string, CodeFunction>();
  const byPlacement = new Map<Placement, CodeFunction>();
  for (const placement of placements) {
    const { entry, standing } = placement;
    if (standing === "hidden" || entry === catalog.search || entry === catalog.code) continue;
    const owner = ownerOf(entry.tool);
    const server = servers.get(owner) ?? toIdentifier(owner, takenServers);
    servers.set(owner, server);
    takenServers.add(server);
    const name = toIdentifier(entry.tool.rename ?? entry.tool.name, { has: (one) => paths.has(`${server}.${one}`) });
    const made: CodeFunction = { path: `${server}.${name}`, server, placement };
    paths.set(made.path, made);
    byPlacement.set(placement, made);
    for (const other of [`${server}.${entry.tool.name}`, entry.wireName, entry.identity])
      if (!others.has(other)) others.set(other, made);
  }
  return {
    servers: [...servers.values()],
    all: [...paths.values()],
    find: (name) => paths.get(name) ?? others.get(name),
    of: (placement) => byPlacement.get(placement),
  };
});

/** The server, or the usual prefix for tools without one: `builtin`, `custom`, `skill`. */
function ownerOf(tool: Tool): string {
  return serverOf(tool) ?? factsOf(tool.source).prefix ?? tool.source;
}
