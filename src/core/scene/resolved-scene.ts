import type { Catalog } from "../catalog/catalog.ts";
import { OWN_NAMES } from "../catalog/meaning.ts";
import { type ResolvedList, resolveList } from "../catalog/resolve-list.ts";
import { createResolver, type Resolution, type Resolver } from "../catalog/resolver.ts";
import type { NameList } from "../codes/origin.ts";
import type { Notice } from "../codes/reason.ts";
import { RULE_KINDS, withoutSpecifier } from "../rules/rule.ts";
import { remember } from "../shape/remember.ts";
import { type EarlierScene, findReusable } from "./reusable-lists.ts";
import { excludeName, includeName, type Limit, type Scene } from "./scene.ts";
import type { SceneLists } from "./scene-lists.ts";
import { resolveServerTools } from "./server-tools.ts";

export interface ResolvedScene extends Scene {
  readonly lists: SceneLists;
  readonly resolver: Resolver;
}

/** Given the same scene on an earlier catalog, reuses the lists that name nothing that changed. */
export function resolveScene(catalog: Catalog, scene: Scene, earlier: EarlierScene | null = null): ResolvedScene {
  const reuse = earlier === null ? null : findReusable(earlier, catalog);
  const resolver = createResolver({
    catalog,
    sets: scene.sets,
    servers: scene.servers.keys(),
    knownMembers: reuse?.members ?? new Map(),
  });
  const read = (label: string, list: NameList): ResolvedList =>
    reuse?.lists.get(list) ?? resolveList(resolver, label, list);
  const readDenied = (label: string, list: NameList): ResolvedList =>
    reuse?.lists.get(list) ?? resolveList(resolver, label, list, (name) => resolveDenied(resolver, name));
  const { filter, agent, policy } = scene;
  return {
    ...scene,
    resolver,
    lists: {
      include: filter.include === null ? null : read(includeName(filter), filter.include),
      exclude: read(excludeName(filter), filter.exclude),
      agentTools: agent?.tools ? read(`tools of agent "${agent.name}"`, agent.tools) : null,
      disallowed: read(`disallowedTools of agent "${agent?.name ?? ""}"`, agent?.disallowed ?? NOTHING),
      disallowedPatterns: read(
        `disallowedTools of agent "${agent?.name ?? ""}"`,
        deniedTools(agent?.denied ?? NO_RULES),
      ),
      // Also read while a selected agent makes it idle, so that mistakes in it are reported all the same (I7).
      defaultExcluded: read("defaultAgent.excludedTools", scene.defaultExcluded),
      deniedTools: readDenied("deniedTools of the policy", policy.deniedTools),
      deny: readDenied("permissions.deny", denyLists(scene.deny).whole),
      denyPatterns: read("permissions.deny", denyLists(scene.deny).patterns),
      skills: readSkills(
        scene,
        (label, list) =>
          reuse?.lists.get(list) ?? resolveList(resolver, label, list, (name) => withoutWeak(resolver, name)),
      ),
      limits: scene.limits.map(({ include, exclude, by, because = null, fix = null, ...said }) => {
        const whose = said.whose ?? (by === undefined ? "the client's" : WHOSE[by]);
        return {
          ...{ whose, because, fix },
          keepsSupport: by === "parent" || by === "requested" || by === "prompt",
          include: include === null ? null : read(`${whose} include list`, include),
          exclude: readDenied(`${whose} exclude list`, exclude),
        };
      }),
      serverTools: resolveServerTools(catalog, scene.servers, resolver, reuse?.lists ?? new Map()),
    },
  };
}

/** All lists of a scene, in the order of the gates that use them. */
export function allLists({ serverTools, limits, ...lists }: SceneLists): readonly ResolvedList[] {
  const limiting = limits.flatMap(({ include, exclude }) => [include, exclude]);
  return [...Object.values(lists), ...limiting, ...serverTools.values()].filter((list) => list !== null);
}

export function listNotices({ lists, resolver }: ResolvedScene): readonly Notice[] {
  const members = resolver.sets.flatMap((set) =>
    resolver.members(set).unknown.map(({ value, origin }): Notice => {
      const text = `toolset "${set.name}" has the member ${JSON.stringify(value.slice(0, 100))}, which does not exist`;
      return { level: "warning", code: "toolset.unknown-member", text, names: [value], origin };
    }),
  );
  return [...members, ...allLists(lists).flatMap(({ notices }) => notices)];
}

/**
 * A denial hides every tool that has the name as its own, as an id or as an alias. Otherwise a later tool with a denied
 * tool's alias would take over the denial and free the other.
 */
function resolveDenied(resolver: Resolver, name: string): Resolution {
  const resolution = resolver.resolve(name);
  if (resolution.kind !== "found") return resolution;
  const { meaning, others } = resolution;
  const more = others.filter(({ what }) => OWN_NAMES.has(what)).flatMap(({ entries }) => entries);
  return more.length === 0
    ? resolution
    : { ...resolution, meaning: { ...meaning, entries: [...meaning.entries, ...more] } };
}

/** A skill's list means what its author meant, regardless of a project's sets. */
function withoutWeak(resolver: Resolver, name: string): Resolution {
  const resolution = resolver.resolve(name);
  return resolution.kind === "found" && resolution.meaning.weak === true ? { kind: "unknown" } : resolution;
}

const WHOSE = {
  policy: "managed policy's",
  project: "the project's",
  subagent: "the subagent's",
  parent: "its parent's",
  requested: "the requested tools'",
  prompt: "the prompt's",
  person: "the person's",
} as const satisfies Record<NonNullable<Limit["by"]>, string>;

const NOTHING: NameList = { value: [], origin: { kind: "default" } };

interface DenyLists {
  readonly whole: NameList;
  readonly patterns: NameList;
}

/** Built once per list of rules, so that a later reading of the same scene recognises it. */
const denyLists = remember(
  (deny: Scene["deny"]): DenyLists => ({
    whole: toNames(deny.filter(({ value }) => value.specifier === null)),
    patterns: toNames(deny.filter(({ value }) => value.specifier !== null && !RULE_KINDS.has(value.tool))),
  }),
);

/** Built once per list, as those. */
const deniedTools = remember(toNames);
const NO_RULES: Scene["deny"] = [];

function toNames(rules: Scene["deny"]): NameList {
  const names = rules.map((rule) => ({ ...rule, value: rule.value.tool }));
  return { value: names, origin: rules[0]?.origin ?? NOTHING.origin };
}

function readSkills(
  { skills, skillToolPolicy }: Scene,
  read: (label: string, list: NameList) => ResolvedList,
): ResolvedList | null {
  if (skillToolPolicy.value !== "restrict") return null;
  const list = toSkillList(skills);
  return list === null ? null : read("allowed-tools of the active skills", list);
}

const toSkillList = remember((skills: Scene["skills"]): NameList | null => {
  const lists = skills.flatMap(({ active, allowedTools }) => (active && allowedTools !== null ? [allowedTools] : []));
  const [first] = lists;
  if (first === undefined) return null;
  const items = lists.flatMap(({ value }) => value);
  return {
    value: items.map(({ value, origin }) => ({ value: withoutSpecifier(value), origin })),
    origin: first.origin,
  };
});
