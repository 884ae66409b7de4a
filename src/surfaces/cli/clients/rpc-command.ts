import type { CommandInput } from "../command-line/command.ts";
import { loadInspector } from "./load-inspector.ts";

/** `toolcrib rpc`: the runtime for clients of the Copilot SDK, as those start it themselves. */
export async function runRpc({ args }: CommandInput): Promise<number> {
  const given = (["port", "host"] as const).flatMap((name) => {
    const value = args.value(name);
    return value === null ? [] : [`--${name}`, value];
  });
  const switches = (["stdio", "inspect"] as const).flatMap((name) => (args.has(name) ? [`--${name}`] : []));
  const { serveCopilot } = await import("../../copilot/copilot-server.ts");
  return serveCopilot([...switches, ...given], loadInspector);
}
