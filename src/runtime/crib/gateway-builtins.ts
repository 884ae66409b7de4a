import type { Config, ServerConfig } from "../../config/config.ts";
import { defaultOrigin } from "../../core/codes/origin.ts";
import type { ChosenBuiltins } from "../../sources/builtin/choose-builtins.ts";

/**
 * Which built-in tools clients get. A client has such tools itself, so there are none beside those that a person brought;
 * where nobody brought any, those that only read show what Toolcrib does.
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

function bringsTools({ servers, agents, extensions, tools }: Config): boolean {
  // One that a list of disabled servers turns off was brought all the same: nothing may appear because of that.
  const isOn = ({ enabled, disabledBy }: ServerConfig): boolean => enabled.value || disabledBy !== null;
  const ofAgents = [...agents.values()].flatMap((agent) => [...agent.servers.values()]);
  return [...servers.values(), ...ofAgents].some(isOn) || extensions.length > 0 || tools.length > 0;
}
