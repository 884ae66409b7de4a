import type { WireStyle } from "../catalog/wire-name.ts";
import { formatOrigin, type Origin, type Sourced } from "../codes/origin.ts";
import type { Notice } from "../codes/reason.ts";
import { ToolcribError } from "../codes/toolcrib-error.ts";
import { plainNode } from "../shape/plain-node.ts";
import { codeOf, type Problems, unreported } from "../shape/problems.ts";
import { readData } from "../shape/read.ts";
import { writeShape } from "../shape/write.ts";
import type { Tool } from "../tool/tool.ts";
import type { Agent, Scene } from "./scene.ts";
import { unknownAgent } from "./unknown-agent.ts";
import { type WorldFacts, worldShape } from "./world-shape.ts";

/** A visibility question as a file: every tool and every fact, so that it can be answered again anywhere. */
export interface World {
  readonly tools: readonly Tool[];
  readonly scene: Scene;
  readonly wireStyle: WireStyle;
  readonly notices: readonly Notice[];
}

/**
 * Reads parsed JSON. Throws `world.invalid` with every wrong type and its path, `rule.invalid` or `agent.unknown`; an
 * unused key is a notice. Input schemas are carried unchanged. A world keeps only its selected agent; `agent` selects
 * another one that it defines.
 */
export function readWorld(value: unknown, file: string, agent: Sourced<string> | null = null): World {
  const originAt = (path: string): Origin => ({ kind: "world", file, path });
  const { value: world, problems, unknown } = readData(plainNode(value, originAt), worldShape);
  throwIfWrong(problems, file);
  const { scene, wireStyle, agents } = world.options;
  return {
    tools: world.tools,
    scene: { ...scene, agent: selectAgent(agent ?? world.options.agent, agents), sets: world.toolsets },
    wireStyle,
    notices: toNotices(unknown, originAt("")),
  };
}

/**
 * The JSON from which `readWorld` makes the same tools and scene again, except for origins. Addresses lose what may be
 * secret: user, password, query and fragment.
 */
export function toWorld(tools: readonly Tool[], scene: Scene, wireStyle: WireStyle): unknown {
  const agents = scene.agent === null ? [] : [scene.agent];
  const options: WorldFacts = { scene, wireStyle, agents, agent: null };
  return writeShape({ tools, toolsets: scene.sets, options }, worldShape);
}

/** Of several agents with one name, the first is meant. */
function selectAgent(wanted: Sourced<string> | null, agents: readonly Agent[]): Agent | null {
  if (wanted === null) return null;
  const names = agents.map(({ name }) => name);
  const found = agents[names.indexOf(wanted.value)];
  if (found === undefined) throw unknownAgent(wanted, names, "define it in options.agents");
  return found;
}

function throwIfWrong(problems: Problems, file: string): void {
  const { reported } = problems;
  const [first] = reported;
  if (first === undefined) return;
  const code = codeOf(reported) ?? "world.invalid";
  const lines = reported.map(({ what, origin, code: one }) =>
    one === "rule.invalid" ? `${placeOf(origin)}: ${what}` : what,
  );
  const text =
    problems.count === 1
      ? `${file}: ${lines[0]}`
      : `${file} is not a world:\n  ${[...lines, ...unreported(problems)].join("\n  ")}`;
  const names = reported.flatMap(({ name }) => (name === "" ? [] : [name]));
  throw new ToolcribError(code, text, { names, origin: first.origin });
}

function placeOf(origin: Origin): string {
  return origin.kind === "world" ? origin.path : formatOrigin(origin);
}

function toNotices(unknown: Problems, whole: Origin): readonly Notice[] {
  const notice = { level: "warning", code: "world.unknown-key" } as const;
  const reported = unknown.reported.map(
    ({ what, name, origin }): Notice => ({ ...notice, text: what, names: [name], origin }),
  );
  const more = unreported(unknown).map(
    (text): Notice => ({ ...notice, text: `${text} keys that nothing reads`, names: [], origin: whole }),
  );
  return [...reported, ...more];
}
