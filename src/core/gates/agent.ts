import type { Entry } from "../catalog/entry.ts";
import { formatOrigin } from "../codes/origin.ts";
import type { Reason } from "../codes/reason.ts";
import type { ResolvedScene } from "../scene/resolved-scene.ts";
import type { Agent } from "../scene/scene.ts";
import { type AnyGate, hideFor, pass, type Verdict } from "./gate.ts";
import { isSupport } from "./mode.ts";
import { toOwnName } from "./own-name.ts";

/** The selected agent's own lists, or what the default agent leaves out (A1, A2). */
export const agentGate = {
  name: "agent",
  judge(entry, scene) {
    return scene.agent === null ? judgeDefault(entry, scene) : judgeSelected(entry, scene, scene.agent);
  },
} as const satisfies AnyGate;

function judgeSelected(entry: Entry, scene: ResolvedScene, agent: Agent): Verdict {
  const reasons: Reason[] = [];
  const { agentTools, disallowed } = scene.lists;
  if (entry.tool.internal === "top-level-incompatible" && agent.isSubagent !== true) {
    reasons.push({
      code: "agent.top-level-incompatible",
      text: "only works below the top level",
      origin: agent.origin,
      fix: "use it from a subagent",
    });
  }
  if (entry.tool.internal === "coordinator-only" && !agent.coordinator.value) {
    reasons.push({
      code: "agent.coordinator-only",
      text: `is only for agents that direct others, and agent "${agent.name}" is none`,
      origin: agent.coordinator.origin,
      fix: `set coordinator: true for agent "${agent.name}" (${formatOrigin(agent.origin)}), or select another agent`,
    });
  }
  if (agentTools !== null && !agentTools.mentions.has(entry) && !isSupport(entry, scene)) {
    const { origin } = agentTools.list;
    reasons.push({
      code: "agent.not-listed",
      text: `not in the tools of agent "${agent.name}"`,
      origin,
      fix: `add "${toOwnName(entry, scene.resolver)}" to the tools of agent "${agent.name}" (${formatOrigin(origin)})`,
    });
  }
  for (const { by } of disallowed.mentions.each(entry)) {
    const { value, origin } = by;
    reasons.push({
      code: "agent.disallowed",
      text: `disallowed for agent "${agent.name}" by "${value}"`,
      origin,
      fix: `remove "${value}" from the disallowedTools of agent "${agent.name}" (${formatOrigin(origin)})`,
    });
  }
  return hideFor(reasons);
}

function judgeDefault(entry: Entry, { lists }: ResolvedScene): Verdict {
  if (lists.include !== null) return pass;
  const reasons: Reason[] = [];
  for (const { by } of lists.defaultExcluded.mentions.each(entry)) {
    const { value, origin } = by;
    reasons.push({
      code: "agent.default-excluded",
      text: `excluded for the default agent by "${value}"`,
      origin,
      fix: `remove "${value}" from defaultAgent.excludedTools (${formatOrigin(origin)}), or select an agent`,
    });
  }
  if (entry.tool.internal === "dynamic-context") {
    reasons.push({
      code: "agent.dynamic-context",
      text: "is only for dynamic context",
      origin: { kind: "definition", of: entry.id },
      fix: "select an agent, or name the tool in includeTools",
    });
  }
  return hideFor(reasons);
}
