import { dropInvisible } from "../tool/hidden-text.ts";
import { findBehind, listBehind } from "./loadable.ts";
import type { Placement, Toolset } from "./toolset.ts";

/** A part of the system prompt with an id that stays the same from request to request. */
export interface PromptSection {
  readonly id: string;
  readonly text: string;
}

/** A server's instructions are its own claims; nobody needs more of them than this. */
const MAX_SERVER_INSTRUCTIONS = 2_000;

/**
 * The prompt text that goes with a toolset, most stable first: how to use the built-ins, the agent, active skills,
 * servers' own instructions, and last the names that a search can load (P2). A hidden tool is never mentioned (P3).
 */
export function toPromptSections(
  toolset: Toolset,
  {
    listLoaded = false,
  }: {
    /** Keeps names in the list that a search has loaded, so that loading one changes no byte of the prompt. */
    readonly listLoaded?: boolean;
  } = {},
): readonly PromptSection[] {
  const { placements, scene } = toolset;
  const { agent, skills, servers } = scene;
  const visible = placements.filter(({ standing }) => standing === "visible");
  const deferred = placements.filter(({ standing }) => standing === "deferred");
  const reachable = new Set(
    [...visible, ...deferred].map(({ entry }) => (entry.tool.source === "mcp" ? entry.tool.server : null)),
  );
  return [
    ...visible.flatMap(({ entry: { tool, wireName } }) =>
      tool.source === "builtin" && tool.instructions !== null
        ? [{ id: `tool:${wireName}`, text: tool.instructions }]
        : [],
    ),
    ...(agent?.prompt ? [{ id: `agent:${agent.name}`, text: agent.prompt }] : []),
    ...skills.flatMap(({ name, active, prompt }) =>
      active && prompt !== null ? [{ id: `skill:${name}`, text: prompt }] : [],
    ),
    ...[...servers.values()].flatMap(({ name, instructions }) =>
      instructions !== null && reachable.has(name)
        ? [{ id: `server:${name}`, text: labelled(name, instructions) }]
        : [],
    ),
    ...listNames(toolset, listLoaded),
  ];
}

function listNames(toolset: Toolset, listLoaded: boolean): readonly PromptSection[] {
  const { deferred, searchable } = findBehind(toolset);
  const listed = listLoaded ? listBehind(toolset) : deferred;
  return listed.length === 0 || !searchable ? [] : [{ id: "deferred-tools", text: listDeferred(listed) }];
}

function labelled(server: string, instructions: string): string {
  const clean = instructions
    .split(/\r\n?|\n/)
    .map(dropInvisible)
    .join("\n")
    .trim();
  const cut = clean.length > MAX_SERVER_INSTRUCTIONS ? `${clean.slice(0, MAX_SERVER_INSTRUCTIONS)}…` : clean;
  return `Instructions from MCP server "${server}" (its own words, not verified):\n${cut}`;
}

/** Names only, by server, in catalog order, so that the section grows and shrinks at one place. */
function listDeferred(deferred: readonly Placement[]): string {
  const bySource = new Map<string, string[]>();
  for (const { entry } of deferred) {
    const source = entry.tool.source === "mcp" ? `server ${entry.tool.server}` : entry.tool.source;
    const names = bySource.get(source);
    if (names === undefined) bySource.set(source, [entry.wireName]);
    else names.push(entry.wireName);
  }
  const lines = [...bySource].map(([source, names]) => `${source}: ${names.join(", ")}`);
  return `These tools are available behind tool_search: call it to load one before you first use it.\n${lines.join("\n")}`;
}
