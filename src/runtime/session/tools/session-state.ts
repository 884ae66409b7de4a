import type { AgentConfig, Config } from "../../../config/config.ts";
import { toScene } from "../../../config/to-scene.ts";
import type { Mode, Promotions, Scene } from "../../../core/scene/scene.ts";
import { BUILTIN_SETS } from "../../../sources/builtin/definitions.ts";
import type { Source } from "../../../sources/source.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { SessionPorts, SessionSetting } from "./setting.ts";

interface StatePorts {
  readonly setting: SessionSetting;
  readonly emit: Emitter["emit"];
  readonly sources: () => readonly Source[];
  readonly promoted: () => Promotions;
  /** The scene is another one now, or what this source lists. */
  readonly onChange: (source?: Source) => void;
}

/** What a session is configured to, and the scene that follows from it and from what surrounds it. */
export interface SessionState {
  readonly config: Config;
  /** The same object while nothing about it changed. */
  readonly scene: Scene;
  /** What surrounds the session changed. */
  renew(): void;
  /** A source changed, and perhaps what it says to models. */
  sourceChanged(source: Source): void;
  readonly setMode: SessionPorts["setMode"];
  /** Takes another configuration over; the previous one stays if the work with it throws. */
  replace(next: Config, work: () => void): void;
}

function toolsOf(agent: AgentConfig | undefined): readonly string[] | null {
  return agent?.tools?.value.map(({ value }) => value) ?? null;
}

export function createSessionState(first: Config, ports: StatePorts): SessionState {
  const { setting, sources, promoted } = ports;
  let config = first;
  let scene: Scene | null = null;
  let instructions = "";
  const facts = () => setting.facts(config, sources());
  const renew = (): void => {
    scene = null;
    ports.onChange();
  };
  const tellMode = (previousMode: Mode): void => {
    const newMode = config.permissions.mode.value;
    if (newMode !== previousMode) ports.emit("session.mode_changed", { previousMode, newMode });
  };
  const tellAgent = (before: string | null): void => {
    const { agent, agents } = config;
    if (agent?.value === before || (agent === null && before === null)) return;
    if (agent === null) ports.emit("subagent.deselected", {});
    else ports.emit("subagent.selected", { agentName: agent.value, tools: toolsOf(agents.get(agent.value)) });
  };
  // Once whoever opened the session can listen. A subagent is not selected: it was started, which is told elsewhere.
  if (first.agent !== null && first.isSubagent !== true) setImmediate(() => tellAgent(null));
  return {
    get config() {
      return config;
    },
    get scene() {
      scene ??= toScene(config, { ...facts(), sets: BUILTIN_SETS, promoted: promoted() });
      return scene;
    },
    renew,
    sourceChanged(source) {
      const now = JSON.stringify([...(facts().instructions ?? [])]);
      if (now !== instructions) scene = null;
      instructions = now;
      ports.onChange(source);
    },
    setMode(value, origin) {
      const before = config.permissions.mode.value;
      config = { ...config, permissions: { ...config.permissions, mode: { value, origin } } };
      renew();
      tellMode(before);
    },
    replace(next, work) {
      const before = config;
      config = next;
      scene = null;
      try {
        work();
      } catch (error) {
        config = before;
        scene = null;
        throw error;
      }
      tellMode(before.permissions.mode.value);
      tellAgent(before.agent?.value ?? null);
    },
  };
}
