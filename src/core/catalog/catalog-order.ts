import { type Inspection, inspectTool } from "../tool/inspect-tool.ts";
import { factsOf, SOURCE_KINDS } from "../tool/source-kinds.ts";
import { OWNER_KINDS, serverOf, type Tool } from "../tool/tool.ts";
import { compareBytes } from "./byte-order.ts";
import type { Entry } from "./entry.ts";
import { type Looks, toLooks } from "./look-alikes.ts";
import { type Remarks, readRemarks } from "./remarks.ts";
import { claimName, type NameClaim, type WireStyle } from "./wire-name.ts";

/** A tool on its way into the catalog. */
export interface Candidate {
  readonly tool: Tool;
  readonly arrival: number;
  /** Rank of its part of the catalog: source, and for MCP the server. */
  readonly part: number;
  /** The position of the same definition in the previous catalog, and its entry there. */
  readonly position: number | undefined;
  readonly earlier: Entry | undefined;
  readonly claim: NameClaim;
  readonly looks: Looks;
  readonly inspection: Inspection;
  /** Null for most, and for those whose text nobody scans. */
  readonly remarks: Remarks | null;
  readonly off: boolean;
  /** Set once names are assigned. */
  wireName: string;
}

const FIRST_SERVED = SOURCE_KINDS.findIndex((kind) => factsOf(kind).served !== undefined);
/** All kinds of servers share one rank: an API is sorted among the MCP servers by its name. */
const SOURCE_RANK: ReadonlyMap<string, number> = new Map(
  SOURCE_KINDS.map((kind, rank) => [kind, factsOf(kind).served === undefined ? rank : FIRST_SERVED]),
);
const OWNER_RANK: ReadonlyMap<string, number> = new Map(OWNER_KINDS.map((kind, rank) => [kind, rank]));

export function toCandidates(
  tools: readonly Tool[],
  style: WireStyle,
  previous: readonly Entry[],
  isOff: (tool: Tool) => boolean = () => false,
): Candidate[] {
  const positions = new Map<Tool, number>();
  for (const [position, { tool }] of previous.entries()) positions.set(tool, position);
  const servers = [...new Set(tools.map((tool) => serverOf(tool) ?? ""))].sort(compareBytes);
  const serverRank = new Map(servers.map((server, rank) => [server, rank]));
  return tools.map((tool, arrival) => {
    const part = (SOURCE_RANK.get(tool.source) ?? 0) * servers.length + (serverRank.get(serverOf(tool) ?? "") ?? 0);
    const position = positions.get(tool);
    const earlier = position === undefined ? undefined : previous[position];
    const claim = earlier?.claim.style === style ? earlier.claim : claimName(tool, style);
    const looks = earlier?.looks ?? toLooks(tool);
    const inspection = inspectTool(tool);
    const remarks = earlier !== undefined ? earlier.remarks : inspection.scanned ? readRemarks(tool) : null;
    const off = isOff(tool);
    return { tool, arrival, part, position, earlier, claim, looks, inspection, remarks, off, wireName: "" };
  });
}

/** The order in which names are assigned: like `byWireOrder`, on the sources' own names. */
export function byCatalogOrder(left: Candidate, right: Candidate): number {
  return left.part - right.part || compareText(left.tool.name, right.tool.name) || byClaim(left, right);
}

/** Built-ins, module, skill, agent, MCP and APIs by server, external; inside each by wire name; all in byte order (C1). */
export function byWireOrder(left: Candidate, right: Candidate): number {
  return left.part - right.part || compareText(left.wireName, right.wireName) || byClaim(left, right);
}

/** Restores the previous catalog's order first, so that sorting starts from a nearly sorted list. */
export function inPreviousOrder(candidates: readonly Candidate[], previous: number): Candidate[] {
  const placed: (Candidate | undefined)[] = new Array(previous).fill(undefined);
  const added: Candidate[] = [];
  for (const candidate of candidates) {
    if (candidate.position === undefined || placed[candidate.position] !== undefined) added.push(candidate);
    else placed[candidate.position] = candidate;
  }
  return [...placed.filter((candidate) => candidate !== undefined), ...added];
}

/** By code units: equal to byte order for ASCII wire names, and any fixed order will do for raw names. */
function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Between tools of one part and name: earlier owner kind, then earlier arrival; among skills the later (N6, N7). */
function byClaim(left: Candidate, right: Candidate): number {
  if (factsOf(left.tool.source).laterWins === true) return right.arrival - left.arrival;
  const owners =
    (OWNER_RANK.get(left.tool.owner?.kind ?? "host") ?? 0) - (OWNER_RANK.get(right.tool.owner?.kind ?? "host") ?? 0);
  return owners || left.arrival - right.arrival;
}
