import type { Config, ServerConfig } from "../../config/config.ts";
import { defaultOrigin } from "../../core/codes/origin.ts";
import type { ChosenBuiltins } from "../../sources/builtin/choose-builtins.ts";

/**
 * Which built-in tools clients get. A client has such tools itself, so there are none if a person brought any tools;
 * otherwise the read-only ones show what Toolcrib does.
 */
export function gatewayBuiltins(config: Config): ChosenBuiltins {
  const { gateway, builtins } = config;
  if (gateway.builtins === null && builtins !== null)
    return { choice: builtins.value, setting: "builtins", origin: builtins.origin };
  const { value: choice, origin } = gateway.builtins ?? {
    value: bringsTools(config) ? ("off" as const) : ("read" as const),
    origin: defaultOrigin,
  };
  return { choice, setting: "gateway.builtins", origin };
}

/** Whether these tools hold anything for a session, such as a command in the background; those that only read do not. */
export function keepsState(config: Config): boolean {
  const { choice } = gatewayBuiltins(config);
  return choice !== "off" && choice !== "read";
}

function bringsTools({ servers, agents, extensions, tools }: Config): boolean {
  // A server that a list disables still counts as brought: disabling it must not make built-ins appear.
  const isOn = ({ enabled, disabledBy }: ServerConfig): boolean => enabled.value || disabledBy !== null;
  const ofAgents = [...agents.values()].flatMap((agent) => [...agent.servers.values()]);
  return [...servers.values(), ...ofAgents].some(isOn) || extensions.length > 0 || tools.length > 0;
}
