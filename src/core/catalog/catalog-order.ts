import { inspectTool, type KeptInspection } from "../tool/inspect-tool.ts";
import { factsOf, SOURCE_KINDS } from "../tool/source-kinds.ts";
import { isServed, OWNER_KINDS, serverOf, type Tool } from "../tool/tool.ts";
import { compareBytes } from "./byte-order.ts";
import type { Entry } from "./entry.ts";
import { type Looks, toLooks } from "./look-alikes.ts";
import { type Remarks, readRemarks } from "./remarks.ts";
import { claimName, type NameClaim, type WireStyle } from "./wire-name.ts";

/** A tool on its way into the catalog. */
export interface Candidate {
  readonly tool: Tool;
  readonly arrival: number;
  /** The entry of the same definition in the previous catalog. */
  readonly earlier: Entry | undefined;
  readonly claim: NameClaim;
  readonly looks: Looks;
  readonly inspection: KeptInspection;
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

/** What holds for all tools of a catalog. */
export interface Naming {
  readonly style: WireStyle;
  readonly isOff: (tool: Tool) => boolean;
}

export function toCandidate(
  tool: Tool,
  arrival: number,
  { style, isOff }: Naming,
  earlier: Entry | undefined,
): Candidate {
  const inspection = inspectTool(tool);
  return {
    tool,
    arrival,
    earlier,
    claim: earlier?.claim.style === style ? earlier.claim : claimName(tool, style),
    looks: earlier?.looks ?? toLooks(tool),
    inspection,
    remarks: earlier === undefined ? readRemarks(tool, inspection) : earlier.remarks,
    off: isOff(tool),
    wireName: "",
  };
}

/**
 * Built-ins, module, skill, agent, MCP and APIs by server, external; inside each by wire name; all in byte order (C1).
 * Names are assigned in the order of the sources' own names.
 */
export function inOrder(
  candidates: readonly Candidate[],
  nameOf: (candidate: Candidate) => string = ({ wireName }) => wireName,
): Candidate[] {
  const parts = new Map<string | number, Candidate[]>();
  for (const candidate of candidates) {
    const { tool } = candidate;
    const key = isServed(tool) ? (tool.server ?? "") : rankOf(tool);
    const part = parts.get(key);
    if (part === undefined) parts.set(key, [candidate]);
    else part.push(candidate);
  }
  const sorted = [...parts.values()].sort(([left], [right]) =>
    left === undefined || right === undefined ? 0 : byPart(left.tool, right.tool),
  );
  for (const part of sorted)
    part.sort((left, right) => compareText(nameOf(left), nameOf(right)) || byClaim(left, right));
  return sorted.flat();
}

/** By place in that order; zero for tools of one part and name. */
export function byPlace(left: Placed, right: Placed): number {
  return byPart(left.tool, right.tool) || compareText(left.wireName, right.wireName);
}

type Placed = Pick<Candidate, "tool" | "wireName">;

/** By source, and for those of servers by these. */
function byPart(left: Tool, right: Tool): number {
  return rankOf(left) - rankOf(right) || compareBytes(serverOf(left) ?? "", serverOf(right) ?? "");
}

function rankOf({ source }: Tool): number {
  return SOURCE_RANK.get(source) ?? 0;
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
