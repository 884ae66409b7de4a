import type { GateName } from "../gates/gates.ts";
import { serverOf } from "../tool/tool.ts";
import type { Toolset } from "./toolset.ts";

/** Gates about who may use what; the others judge a single tool's fitness, which says nothing about its server. */
const CLOSING: ReadonlySet<GateName> = new Set(["policy", "filter", "agent", "group", "deny-rule"]);

/** Servers with tools, and whether any of these may be used; a server without tools is not there. */
export function judgeServers({ placements }: Pick<Toolset, "placements">): ReadonlyMap<string, boolean> {
  const open = new Map<string, boolean>();
  for (const { entry, trace } of placements) {
    const server = serverOf(entry.tool);
    if (server === null) continue;
    const isClosed = trace.some(({ gate, verdict }) => verdict === "hide" && CLOSING.has(gate));
    open.set(server, (open.get(server) ?? false) || !isClosed);
  }
  return open;
}
