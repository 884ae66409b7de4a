import { judgeServers } from "../../../core/toolset/judge-servers.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import type { OpenSession } from "../../../runtime/session/tools/session.ts";
import type { McpPeer } from "../../../sources/peer.ts";
import type { Source } from "../../../sources/source.ts";

/** A server whose prompts and resources a client may have. */
export interface PeerServer {
  readonly name: string;
  readonly source: Source;
  readonly peer: McpPeer;
}

/**
 * The servers that are open to this session, in configured order. A server whose tools are all closed to it offers
 * nothing else either, and one without tools is open only if nothing is chosen by name.
 */
export function openServers({ sources, toolset }: Pick<OpenSession, "sources" | "toolset">): readonly PeerServer[] {
  const verdicts = judgeServers(toolset);
  return sources.flatMap((source) => {
    const peer = peerOf(source);
    if (peer === null) return [];
    const isOpen = verdicts.get(source.name) ?? !choosesByName(toolset);
    return isOpen ? [{ name: source.name, source, peer }] : [];
  });
}

/** Looks again once servers that are still starting have connected: one of them may have what is missing. */
export async function lookTwice<T>(
  { connected }: { connected(what: "all"): Promise<void> },
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const found = await look();
  if (found !== undefined) return found;
  await connected("all");
  return look();
}

export function peerOf(source: Source): McpPeer | null {
  if (!("peer" in source)) return null;
  return source.peer as McpPeer; // Only MCP sources have that member.
}

function choosesByName({ scene }: Toolset): boolean {
  const { filter, limits, agent, toolGroups } = scene;
  return (
    filter.include !== null ||
    limits.some(({ include }) => include !== null) ||
    (agent?.tools ?? null) !== null ||
    toolGroups !== null
  );
}
