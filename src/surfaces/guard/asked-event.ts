import type { HookClient } from "./hook-clients.ts";
import type { Fields, GuardEvent } from "./hook-event.ts";

/** A call that somebody asks about, without any client behind it. */
export interface SupposedCall {
  /** By the client's name for the tool, by ours, or `server/tool`. */
  readonly tool: string;
  /** In the client's terms, or in ours. */
  readonly args: Fields;
}

/** What the client would write to its hook about such a call. A text says why it never does. */
export function toAskedEvent(
  { tool, args }: SupposedCall,
  client: HookClient,
  builtins: Iterable<string>,
): GuardEvent | string {
  const event = { session: null, agent: null, call: null, cwd: null, served: null };
  const name = ownTool(tool, client);
  const row = client.tools.get(name ?? "");
  if (name !== null && row !== undefined) {
    const theirs = Object.entries(args).map(([key, value]) => [row.args[key]?.[0] ?? key, value]);
    return { ...event, tool: name, input: Object.fromEntries(theirs) };
  }
  const [, server, served] = /^([^/]+)\/(.+)$/s.exec(tool) ?? [];
  if (server !== undefined && served !== undefined)
    return { ...event, tool, input: args, served: { server, name: served } };
  if (![...builtins].includes(tool)) return { ...event, tool, input: args };
  const names = [...client.tools.keys()].join(", ");
  return `${client.title} has no tool that does what ${tool} does; those that its hook knows are ${names}, and SERVER/TOOL`;
}

/** The client's name for a tool that is called by its own name or by ours; null if it is neither. */
export function ownTool(tool: string, { tools }: Pick<HookClient, "tools">): string | null {
  if (tools.has(tool)) return tool;
  return [...tools].find(([, row]) => row.tool === tool)?.[0] ?? null;
}
