import type { Skill } from "../scene/scene.ts";
import { dropInvisible } from "../tool/hidden-text.ts";
import { isBuiltin, isScanned, isServed, serverOf } from "../tool/tool.ts";
import { findBehind, listBehind } from "./loadable.ts";
import { nameTools, type Reachable, toReachable } from "./name-tools.ts";
import type { Placement, Toolset } from "./toolset.ts";
import { listWaitingSkills } from "./waiting-skills.ts";

/** A part of the system prompt with an id that is stable between requests. */
export interface PromptSection {
  readonly id: string;
  readonly text: string;
}

/** A server's instructions are its own claims, so their length is capped. */
const MAX_SERVER_INSTRUCTIONS = 2_000;

/**
 * The prompt text of a toolset, most stable first: system instructions, how to use tools, the agent, active skills and
 * waiting skills, servers' own instructions, the names that a search can load, and last how to use what it has loaded.
 * A hidden tool is never mentioned.
 */
export function toPromptSections(
  toolset: Toolset,
  {
    listLoaded = false,
  }: {
    /** Keeps loaded names in the list, all or these, so that loading one changes no byte of the prompt. */
    readonly listLoaded?: boolean | ReadonlySet<string>;
  } = {},
): readonly PromptSection[] {
  const { placements, scene } = toolset;
  const { agent, model, skills, servers } = scene;
  const visible = placements.filter(({ standing }) => standing === "visible");
  const deferred = placements.filter(({ standing }) => standing === "deferred");
  const reachable = new Set([...visible, ...deferred].map(({ entry }) => serverOf(entry.tool)));
  const named = toReachable(placements);
  const loaded = new Set(findBehind(toolset).loaded);
  return [
    ...(model?.instructions ? [{ id: `model:${model.id}`, text: model.instructions }] : []),
    ...visible.flatMap((placement) => (loaded.has(placement) ? [] : explainUse(placement, named))),
    ...(agent?.prompt ? [{ id: `agent:${agent.name}`, text: agent.prompt }] : []),
    ...skills.flatMap(({ name, active, prompt }) =>
      active && prompt !== null ? [{ id: `skill:${name}`, text: prompt }] : [],
    ),
    ...listSkills(skills, named.get(SKILL_TOOL)),
    ...[...servers.values()].flatMap(({ name, instructions }) =>
      instructions !== null && reachable.has(name)
        ? [{ id: `server:${name}`, text: labelled(name, instructions) }]
        : [],
    ),
    ...listNames(toolset, listLoaded),
    ...[...loaded].flatMap((placement) => explainUse(placement, named)),
  ];
}

/** The tool with which a model loads a skill. */
const SKILL_TOOL = "skill";

/** Only text written on this machine; a server's instructions cover all its tools at once, and are labelled. */
function explainUse({ entry: { tool, wireName } }: Placement, named: Reachable): readonly PromptSection[] {
  if (tool.instructions === null || isScanned(tool)) return [];
  const text = isBuiltin(tool) ? nameTools(tool.instructions, named) : tool.instructions;
  return text === "" ? [] : [{ id: `tool:${wireName}`, text }];
}

function listSkills(skills: readonly Skill[], skillTool: string | undefined): readonly PromptSection[] {
  const text = skillTool === undefined ? null : listWaitingSkills(skills, skillTool);
  return text === null ? [] : [{ id: "waiting-skills", text }];
}

function listNames(toolset: Toolset, listLoaded: boolean | ReadonlySet<string>): readonly PromptSection[] {
  const { deferred, searchable } = findBehind(toolset);
  const isListed = ({ standing, entry }: Placement): boolean =>
    standing === "deferred" || listLoaded === true || (listLoaded !== false && listLoaded.has(entry.wireName));
  const listed = listLoaded === false ? deferred : listBehind(toolset).filter(isListed);
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

/** Names only, by server, in catalog order, so that the section grows and shrinks in one place. */
function listDeferred(deferred: readonly Placement[]): string {
  const bySource = new Map<string, string[]>();
  for (const { entry } of deferred) {
    const source = isServed(entry.tool) ? `server ${entry.tool.server}` : entry.tool.source;
    const names = bySource.get(source);
    if (names === undefined) bySource.set(source, [entry.wireName]);
    else names.push(entry.wireName);
  }
  const lines = [...bySource].map(([source, names]) => `${source}: ${names.join(", ")}`);
  return `These tools are available behind tool_search: call it to load one before you first use it.\n${lines.join("\n")}`;
}
