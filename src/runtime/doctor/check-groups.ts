import type { Config } from "../../config/config.ts";
import { nearestNames } from "../../core/codes/nearest-name.ts";
import type { NameList } from "../../core/codes/origin.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import type { DoctorFinding } from "./finding.ts";

/** Groups that nothing declares (G6): not an error, but usually a slip that hides tools. */
export function checkGroups(config: Config, { catalog }: Toolset): readonly DoctorFinding[] {
  // Something that waits for trust may declare any of them.
  if (config.trust.state === "untrusted" || config.trust.state === "changed") return [];
  const declared = [
    ...catalog.entries.map(({ tool }) => tool.group),
    ...config.tools.map(({ group }) => group),
    ...[...config.servers.values()].map(({ group }) => group?.value),
    ...[...config.agents.values()].flatMap(({ servers }) => [...servers.values()].map(({ group }) => group?.value)),
    ...[...config.toolOverrides.values()].map(({ group }) => group?.value),
  ];
  const known = new Set(declared.filter((group) => group !== undefined && group !== null));
  const check = (label: string, list: NameList | null): readonly DoctorFinding[] =>
    (list?.value ?? []).flatMap(({ value, origin }): readonly DoctorFinding[] => {
      if (known.has(value)) return [];
      const [nearest] = nearestNames(value, known, 1);
      const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
      const text = `${label} names the group "${value}", which no tool and no server declares${hint}`;
      return [{ level: "warning", code: "group.unknown", text, names: [value], origin, fix: null }];
    });
  return [
    ...check("toolGroups", config.toolGroups),
    ...[...config.agents.values()].flatMap(({ name, toolGroups }) =>
      check(`toolGroups of agent "${name}"`, toolGroups ?? null),
    ),
  ];
}
