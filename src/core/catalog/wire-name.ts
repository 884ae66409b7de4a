import { hash } from "node:crypto";
import { isServed, type Tool } from "../tool/tool.ts";

/** How the name of an MCP tool is composed. */
export const WIRE_STYLES = ["server__tool", "server-tool", "mcp__server__tool"] as const;
export type WireStyle = (typeof WIRE_STYLES)[number];

const MAX_LENGTH = 64;
const HASH_LENGTH = 8;
const LEGAL = /^[A-Za-z0-9_-]*$/;
const ILLEGAL = /[^A-Za-z0-9_-]/gu;

/** A tool's name before its neighbours are considered. */
export interface NameClaim {
  /** The claimant: two tools with one identity are duplicates, two identities never share a name. */
  readonly claimant: string;
  readonly name: string;
  /** The name needed no cleaning or cutting, so it has the first right to itself. */
  readonly legal: boolean;
  readonly style: WireStyle;
}

/** `server/tool` for MCP tools, the bare name for all others. */
export function toIdentity(tool: Tool): string {
  return !isServed(tool) ? tool.name : `${tool.server ?? ""}/${tool.name}`;
}

const OWN = "own:";
const MCP = "mcp:";
const BORDER = "\u0000";

/** An identity that is never ambiguous: any name may contain a slash, and a renamed tool makes a new claim. */
export function toClaimant(tool: Tool): string {
  const rename = tool.rename === null ? "" : `${BORDER}${BORDER}${tool.rename}`;
  return !isServed(tool) ? `${OWN}${tool.name}${rename}` : `${MCP}${tool.server ?? ""}${BORDER}${tool.name}${rename}`;
}

export function claimName(tool: Tool, style: WireStyle): NameClaim {
  const natural = tool.rename ?? (isServed(tool) ? joinName(tool.server ?? "", tool.name, style) : tool.name);
  const cleaned = cleanName(natural);
  const claimant = toClaimant(tool);
  if (cleaned.length > MAX_LENGTH || cleaned === "")
    return { claimant, name: withHash(cleaned, claimant, 0), legal: false, style };
  return { claimant, name: cleaned, legal: cleaned === natural, style };
}

export function joinName(server: string, name: string, style: WireStyle): string {
  switch (style) {
    case "server__tool":
      return `${server}__${name}`;
    case "server-tool":
      return `${server}-${name}`;
    case "mcp__server__tool":
      return `mcp__${server}__${name}`;
  }
}

export function cleanName(name: string): string {
  return LEGAL.test(name) ? name : name.replace(ILLEGAL, "_");
}

/** A readable prefix, `_` and eight hex digits of a hash of the identity; `attempt` varies it if that is taken. */
export function withHash(cleaned: string, claimant: string, attempt: number): string {
  const identity = claimant.slice(OWN.length).replace(BORDER, "/");
  const digest = hash("sha256", attempt === 0 ? identity : `${identity}\u0000${attempt}`).slice(0, HASH_LENGTH);
  return `${cleaned.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${digest}`;
}
