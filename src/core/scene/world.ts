import type { WireStyle } from "../catalog/wire-name.ts";
import { nearestNames } from "../codes/nearest-name.ts";
import type { Notice } from "../codes/reason.ts";
import { ToolcribError } from "../codes/toolcrib-error.ts";
import { parseRule } from "../rules/rule.ts";
import type { Tool } from "../tool/tool.ts";
import { readSet } from "./read-agents.ts";
import { type Options, readOptions } from "./read-options.ts";
import { createReport, fieldsOf, listOf, worldOrigin } from "./read-shape.ts";
import { readTool } from "./read-tool.ts";
import type { Agent, Scene } from "./scene.ts";

/** A visibility question as a file: every tool and every fact, so that it can be asked again anywhere. */
export interface World {
  readonly tools: readonly Tool[];
  readonly scene: Scene;
  readonly wireStyle: WireStyle;
  readonly notices: readonly Notice[];
}

const WORLD_KEYS = new Set(["tools", "toolsets", "options"] as const);

/**
 * Reads parsed JSON. Throws `world.invalid` with every wrong type and its path, `rule.invalid` or `agent.unknown`;
 * a key that nothing reads is a notice. Input schemas are carried as they are, whatever they hold.
 */
export function readWorld(value: unknown, file: string): World {
  const report = createReport(file);
  const fields = fieldsOf(value, "", report, WORLD_KEYS);
  const tools = fields.read("tools", listOf(readTool)) ?? [];
  const sets = fields.read("toolsets", listOf(readSet)) ?? [];
  const options = fields.read("options", readOptions) ?? readOptions({}, "options", report);
  const notices = report.finish();
  const deny = options.deny.map(({ value: rule, origin }) => ({ value: parseRule(rule, origin), origin }));
  const scene = { ...options.scene, agent: selectAgent(options, file), deny, sets };
  return { tools, scene, wireStyle: options.wireStyle, notices };
}

/** The first of several agents with one name is the one meant. */
function selectAgent({ agent: wanted, agents }: Options, file: string): Agent | null {
  if (wanted === null) return null;
  const agent = agents.find(({ name }) => name === wanted);
  if (agent !== undefined) return agent;
  const nearest = nearestNames(
    wanted,
    agents.map(({ name }) => name),
  );
  const advice =
    nearest.length === 0
      ? "define it in options.agents"
      : `did you mean ${nearest.map((name) => JSON.stringify(name)).join(" or ")}?`;
  const shown = JSON.stringify(wanted.length > 60 ? `${wanted.slice(0, 60)}…` : wanted);
  throw new ToolcribError("agent.unknown", `${file}: options.agent: there is no agent ${shown}; ${advice}`, {
    names: [wanted, ...nearest],
    origin: worldOrigin(file, "options.agent"),
  });
}
