import { OWNER_KINDS, SOURCE_KINDS, type Tool } from "../tool/tool.ts";
import { compareBytes } from "./byte-order.ts";
import type { Entry } from "./entry.ts";

/** A tool on its way into the catalog. */
export interface Candidate {
  readonly tool: Tool;
  readonly arrival: number;
  readonly wireName: string;
}

const SOURCE_RANK: ReadonlyMap<string, number> = new Map(SOURCE_KINDS.map((kind, rank) => [kind, rank]));
const OWNER_RANK: ReadonlyMap<string, number> = new Map(OWNER_KINDS.map((kind, rank) => [kind, rank]));

/** The order in which names are given out: as `byWireOrder`, on the names that sources use. */
export function byCatalogOrder(left: Candidate, right: Candidate): number {
  return byPart(left.tool, right.tool) || compareBytes(left.tool.name, right.tool.name) || byClaim(left, right);
}

/** Built-ins, module, skill, agent, MCP by server, external; inside each by wire name; all in byte order (C1). */
export function byWireOrder(left: Candidate, right: Candidate): number {
  return byPart(left.tool, right.tool) || compareBytes(left.wireName, right.wireName) || byClaim(left, right);
}

/** Puts what the previous catalog had where it had it, so that sorting again finds it nearly sorted. */
export function inPreviousOrder(candidates: readonly Candidate[], previous: readonly Entry[]): Candidate[] {
  if (previous.length === 0) return [...candidates];
  const places = new Map(previous.map((entry, place) => [entry.tool, place]));
  const placed: Candidate[][] = [];
  const added: Candidate[] = [];
  for (const candidate of candidates) {
    const place = places.get(candidate.tool);
    if (place === undefined) added.push(candidate);
    else if (placed[place] === undefined) placed[place] = [candidate];
    else placed[place].push(candidate);
  }
  return [...placed.filter((group) => group !== undefined).flat(), ...added];
}

function byPart(left: Tool, right: Tool): number {
  if (left.source !== right.source) return (SOURCE_RANK.get(left.source) ?? 0) - (SOURCE_RANK.get(right.source) ?? 0);
  return left.source === "mcp" ? compareBytes(left.server ?? "", right.server ?? "") : 0;
}

/** Between tools of one part and one name: the earlier owner kind, then the earlier arrival; of skills the later (N6, N7). */
function byClaim(left: Candidate, right: Candidate): number {
  if (left.tool.source === "skill") return right.arrival - left.arrival;
  const owners =
    (OWNER_RANK.get(left.tool.owner?.kind ?? "host") ?? 0) - (OWNER_RANK.get(right.tool.owner?.kind ?? "host") ?? 0);
  return owners || left.arrival - right.arrival;
}
