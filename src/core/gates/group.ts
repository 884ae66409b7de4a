import { formatOrigin, type NameList } from "../codes/origin.ts";
import type { Reason } from "../codes/reason.ts";
import { remember } from "../shape/remember.ts";
import { isServed } from "../tool/tool.ts";
import { type AnyGate, hideFor, pass } from "./gate.ts";

/** With `toolGroups` set, a tool that declares a group needs it listed; a tool without one passes (G6). */
export const groupGate = {
  name: "group",
  judge({ tool }, { toolGroups, agent, servers }) {
    const agentGroups = agent?.toolGroups ?? null;
    if (toolGroups === null && agentGroups === null) return pass;
    const inherited = isServed(tool) ? servers.get(tool.server ?? "")?.group?.value : undefined;
    const group = tool.group ?? inherited;
    if (group === undefined) return pass;
    const reasons: Reason[] = [];
    if (toolGroups !== null && !lists(toolGroups, group)) {
      const lacking = (toolGroups.narrows ?? []).filter((list) => !lists(list, group));
      for (const list of lacking.length === 0 ? [toolGroups] : lacking)
        reasons.push(toReason(group, "toolGroups", list));
    }
    if (agent !== null && agentGroups !== null && !lists(agentGroups, group))
      reasons.push(toReason(group, `toolGroups of agent "${agent.name}"`, agentGroups));
    return hideFor(reasons);
  },
} as const satisfies AnyGate;

/** Built once per list, however many tools are judged. */
const namesIn = remember(({ value }: NameList) => new Set(value.map((name) => name.value)));

function lists(list: NameList, group: string): boolean {
  return namesIn(list).has(group);
}

function toReason(group: string, label: string, { origin }: NameList): Reason {
  return {
    code: "group.not-listed",
    text: `its group "${group}" is not in ${label}`,
    origin,
    fix: `add "${group}" to ${label} (${formatOrigin(origin)})`,
  };
}
