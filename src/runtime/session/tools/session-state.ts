import type { AgentConfig, Config } from "../../../config/config.ts";
import type { Origin } from "../../../core/codes/origin.ts";
import type { Mode } from "../../../core/scene/scene.ts";
import { createChangeListeners } from "../../../sources/parts/change-listeners.ts";
import type { Emitter } from "../../events/emitter.ts";

/** What a session is configured to. */
export interface SessionState {
  readonly config: Config;
  setMode(mode: Mode, origin: Origin): void;
  /** Takes another configuration over; the previous one stays if the work with it throws. */
  replace(next: Config, work: () => void): void;
  /** Hears when another configuration was taken over. */
  readonly replaced: (listener: () => void) => () => void;
  /** Reports which agent the session began with. A subagent is not selected: it was started. */
  announce(): void;
}

export function createSessionState(first: Config, emit: Emitter["emit"], changed: () => void): SessionState {
  let config = first;
  const listeners = createChangeListeners();
  const reportMode = (previousMode: Mode): void => {
    const newMode = config.permissions.mode.value;
    if (newMode !== previousMode) emit("session.mode_changed", { previousMode, newMode });
  };
  const reportAgent = (before: string | null): void => {
    const { agent, agents } = config;
    if (agent?.value === before || (agent === null && before === null)) return;
    if (agent === null) emit("subagent.deselected", {});
    else emit("subagent.selected", { agentName: agent.value, tools: toolsOf(agents.get(agent.value)) });
  };
  return {
    get config() {
      return config;
    },
    setMode(value, origin) {
      const before = config.permissions.mode.value;
      config = { ...config, permissions: { ...config.permissions, mode: { value, origin } } };
      changed();
      reportMode(before);
    },
    replace(next, work) {
      const before = config;
      config = next;
      try {
        work();
      } catch (error) {
        config = before;
        throw error;
      }
      reportMode(before.permissions.mode.value);
      reportAgent(before.agent?.value ?? null);
      listeners.emit();
    },
    replaced: listeners.add,
    announce() {
      if (first.agent !== null && first.isSubagent !== true) reportAgent(null);
    },
  };
}

function toolsOf(agent: AgentConfig | undefined): readonly string[] | null {
  return agent?.tools?.value.map(({ value }) => value) ?? null;
}
