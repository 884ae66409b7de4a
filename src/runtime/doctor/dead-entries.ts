import type { Config } from "../../config/config.ts";
import { toScene } from "../../config/to-scene.ts";
import type { Entry } from "../../core/catalog/entry.ts";
import { type NameList, type Sourced, sourced } from "../../core/codes/origin.ts";
import { agentGate } from "../../core/gates/agent.ts";
import { denyRuleGate } from "../../core/gates/deny-rule.ts";
import { filterGate } from "../../core/gates/filter.ts";
import type { Gate } from "../../core/gates/gates.ts";
import { serverFilterGate } from "../../core/gates/server-filter.ts";
import type { Agent, Scene } from "../../core/scene/scene.ts";
import { serverOf } from "../../core/tool/tool.ts";
import { buildToolset } from "../../core/toolset/build-toolset.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import type { DoctorFinding } from "./finding.ts";

/** Each entry costs one more judgement of all tools. */
const MAX_ENTRIES = 200;

/** One entry of one list, the gate that reads the list, and the scene without the entry. */
interface Candidate {
  readonly label: string;
  readonly entry: Sourced<string>;
  readonly gate: Gate;
  readonly scene: Scene;
  readonly without: Scene;
}

/**
 * Entries without which their own gate would decide the same about every tool. Other gates do not count: a tool that a
 * mode also hides today may be visible tomorrow. Unknown names are reported elsewhere.
 */
export function findDeadEntries(config: Config, { catalog, scene }: Toolset): readonly DoctorFinding[] {
  const hiddenIn = (judged: Scene, gate: Gate): ReadonlySet<Entry> => {
    const free = { ...judged, filter: { ...judged.filter, allowNoTools: sourced(true) } };
    const { placements } = buildToolset(catalog, free, [gate]);
    return new Set(placements.filter(({ standing }) => standing === "hidden").map(({ entry }) => entry));
  };
  const known = new Map<Scene, ReadonlyMap<Gate, ReadonlySet<Entry>>>();
  const before = (judged: Scene, gate: Gate): ReadonlySet<Entry> => {
    const found = known.get(judged)?.get(gate) ?? hiddenIn(judged, gate);
    known.set(judged, new Map([...(known.get(judged) ?? []), [gate, found]]));
    return found;
  };
  const listed = new Set(catalog.entries.flatMap(({ tool }) => serverOf(tool) ?? []));
  const candidates = [...ofScene(scene, listed), ...ofAgents(config, scene)].filter(({ entry }) => {
    const resolution = scene.resolver.resolve(entry.value);
    return resolution.kind === "found" && resolution.meaning.entries.length > 0;
  });
  return candidates
    .slice(0, MAX_ENTRIES)
    .filter(({ scene: own, without, gate }) => isSame(before(own, gate), hiddenIn(without, gate)))
    .map(({ label, entry }) => ({
      level: "info",
      code: "filter.dead",
      text: `${label} names "${entry.value}", which changes nothing: all of it is decided without it`,
      names: [entry.value],
      origin: entry.origin,
      fix: "remove it, or the entries that cover it",
    }));
}

/** The effect of a server's list is unknown before that server has listed its tools. */
function ofScene(scene: Scene, listed: ReadonlySet<string>): readonly Candidate[] {
  const { filter } = scene;
  const candidate = (gate: Gate, label: string, change: (list: NameList) => Scene) => (list: NameList) =>
    eachWithout(list).map(([entry, rest]) => ({ label, entry, gate, scene, without: change(rest) }));
  const include = candidate(filterGate, "includeTools", (rest) => ({ ...scene, filter: { ...filter, include: rest } }));
  const exclude = candidate(filterGate, "excludeTools", (rest) => ({ ...scene, filter: { ...filter, exclude: rest } }));
  const excluded = candidate(agentGate, "defaultAgent.excludedTools", (rest) => ({ ...scene, defaultExcluded: rest }));
  const servers = [...scene.servers].flatMap(([name, server]) =>
    server.tools === null || !listed.has(name)
      ? []
      : candidate(serverFilterGate, `tools of server "${name}"`, (rest) => ({
          ...scene,
          servers: new Map([...scene.servers, [name, { ...server, tools: rest }]]),
        }))(server.tools),
  );
  const deny = scene.deny.flatMap((rule, at) =>
    rule.value.specifier !== null
      ? []
      : [
          {
            label: "permissions.deny",
            entry: { value: rule.value.tool, origin: rule.origin },
            gate: denyRuleGate,
            scene,
            without: { ...scene, deny: scene.deny.filter((_, other) => other !== at) },
          },
        ],
  );
  return [
    ...(filter.include === null ? [] : include(filter.include)),
    ...exclude(filter.exclude),
    ...(scene.agent === null ? excluded(scene.defaultExcluded) : []),
    ...servers,
    ...deny,
  ];
}

/** Every configured agent, not only the selected one: nobody looks at the others until they are needed. */
function ofAgents(config: Config, scene: Scene): readonly Candidate[] {
  return [...config.agents.keys()].flatMap((name) => {
    const { agent } = toScene({ ...config, agent: sourced(name) });
    if (agent === null) return [];
    const own: Scene = { ...scene, agent };
    const change = (label: string, list: NameList | null, to: (rest: NameList) => Agent): readonly Candidate[] =>
      (list === null ? [] : eachWithout(list)).map(([entry, rest]) => ({
        label: `${label} of agent "${name}"`,
        entry,
        gate: agentGate,
        scene: own,
        without: { ...own, agent: to(rest) },
      }));
    return [
      ...change("tools", agent.tools, (tools) => ({ ...agent, tools })),
      ...change("disallowedTools", agent.disallowed, (disallowed) => ({ ...agent, disallowed })),
    ];
  });
}

function eachWithout(list: NameList): readonly (readonly [Sourced<string>, NameList])[] {
  return list.value.map((entry, at) => [entry, { ...list, value: list.value.filter((_, other) => other !== at) }]);
}

function isSame(left: ReadonlySet<Entry>, right: ReadonlySet<Entry>): boolean {
  return left.size === right.size && [...left].every((entry) => right.has(entry));
}
