import { serveCopilot } from "../copilot/serve-copilot.ts";
import type { CommandInput } from "./command.ts";

/** `toolcrib rpc`: the runtime for clients of the Copilot SDK, as those start it themselves. */
export async function runRpc({ args }: CommandInput): Promise<number> {
  const given = (["port", "host"] as const).flatMap((name) => {
    const value = args.value(name);
    return value === null ? [] : [`--${name}`, value];
  });
  return serveCopilot([...(args.has("stdio") ? ["--stdio"] : []), ...given]);
}
