import type { Config } from "../../config/config.ts";
import { noticeStartable } from "../../config/notice-startable.ts";
import { resolveList } from "../../core/catalog/resolve-list.ts";
import { createResolver } from "../../core/catalog/resolver.ts";
import type { NameList, Sourced } from "../../core/codes/origin.ts";
import type { Rule } from "../../core/rules/rule.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { type DoctorFinding, toFinding } from "./finding.ts";

/** Names that are unknown or ambiguous, in lists that the current scene does not read. */
export function checkUnusedLists(config: Config, { catalog, scene }: Toolset): readonly DoctorFinding[] {
  const servers = new Set([...scene.servers.keys(), ...config.servers.keys()]);
  const check = (label: string, list: NameList | null, own: Iterable<string> = []): readonly DoctorFinding[] => {
    if (list === null) return [];
    const resolver = createResolver({ catalog, sets: scene.sets, servers: [...servers, ...own] });
    return resolveList(resolver, label, list).notices.map((notice) => toFinding(notice));
  };
  const agents = [...config.agents.values()].filter(({ name }) => name !== scene.agent?.name);
  const { allow, ask, deny } = config.permissions;
  return [
    ...agents.flatMap((agent) => {
      const { name, tools, disallowedTools, denied, servers: own } = agent;
      return [
        ...check(`tools of agent "${name}"`, tools, own.keys()),
        ...check(`disallowedTools of agent "${name}"`, disallowedTools, own.keys()),
        ...check(`disallowedTools of agent "${name}"`, ruleTools(denied), own.keys()),
        ...noticeStartable(agent, config).map((notice) => toFinding(notice)),
      ];
    }),
    ...config.gateway.clients.flatMap(({ include, exclude }, at) => [
      ...check(`include of gateway.clients[${at}]`, include),
      ...check(`exclude of gateway.clients[${at}]`, exclude),
    ]),
    ...check("permissions.allow", ruleTools(allow)),
    ...check("permissions.ask", ruleTools(ask)),
    // Rules without a pattern hide tools, so the scene has read those already.
    ...check("permissions.deny", ruleTools(deny.filter(({ value }) => value.specifier !== null))),
  ];
}

function ruleTools(rules: readonly Sourced<Rule>[]): NameList | null {
  const [first] = rules;
  if (first === undefined) return null;
  return { value: rules.map(({ value, origin }) => ({ value: value.tool, origin })), origin: first.origin };
}

/** Toolsets with the name of a tool, a server or a shipped set: then the name means the set (I1). */
export function checkShadows(config: Config, { scene }: Toolset, shipped: readonly string[]): readonly DoctorFinding[] {
  return config.toolsets.flatMap(({ name, members, weak }): readonly DoctorFinding[] => {
    const resolution = scene.resolver.resolve(name);
    const meanings = resolution.kind === "found" ? [resolution.meaning, ...resolution.others] : [];
    const others = meanings.map(({ what }) => what).filter((what) => what !== `toolset ${name}`);
    const also = [
      ...(shipped.includes(name) ? ["a toolset that ships with Toolcrib"] : []),
      ...(scene.servers.has(name) && !others.includes(`server ${name}`) ? [`server ${name}`] : []),
      ...others.map((what) => (what.startsWith("server ") ? what : `a ${what.replace(/^a /, "")}`)),
    ];
    if (also.length === 0) return [];
    return [
      {
        level: "warning",
        code: "toolset.shadows",
        text: weak
          ? `the toolset "${name}" has the name of ${[...new Set(also)].join(" and ")}, which every list that says "${name}" means`
          : `the toolset "${name}" shadows ${[...new Set(also)].join(" and ")}: every list that says "${name}" means the toolset`,
        names: [name],
        origin: members.origin,
        fix: "give the toolset another name",
      },
    ];
  });
}
