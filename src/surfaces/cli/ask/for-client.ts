import { describePerson } from "../../../core/people/person.ts";
import { type Client, toClient } from "../../../core/scene/client.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { toClientRow } from "../../../runtime/report/toolset-rows.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import type { Overrides } from "../command-line/overrides.ts";
import { sayOnce } from "../configuration/say-once.ts";
import type { ToolQuestion } from "./question.ts";

type Named = Pick<Overrides, "client" | "caller">;

/** The question as the client would put it that is named: what the gateway would offer it. */
export async function forClient(question: ToolQuestion, { client: named, caller }: Named): Promise<ToolQuestion> {
  if (named === null && caller === null) return question;
  const name = named === null ? null : checkName(named.value);
  const { toolset: _, ...asked } = question;
  const { scene, config, notices } = asked;
  // A world says by itself which built-in tools there are.
  if (config === undefined) return { ...asked, scene: { ...scene, client: toClient(name ?? "") } };
  const [{ chooseBuiltins }, { gatewayBuiltins }] = await Promise.all([
    import("../../../sources/builtin/choose-builtins.ts"),
    import("../../../runtime/crib/gateway-builtins.ts"),
  ]);
  const { builtins, notices: odd } = chooseBuiltins(gatewayBuiltins(config));
  const client = toClient(name, config.gateway.knownClients);
  return { ...asked, scene: { ...scene, client, builtins }, notices: [...notices, ...odd] };
}

/** A line about the client that the tools are for; nothing where there is none. */
export function formatClient(toolset: Pick<Toolset, "scene">): string {
  const { client } = toClientRow(toolset);
  return client === undefined ? "" : `The client: ${escapeText(client)}.\n`;
}

function checkName(name: string): string {
  if (name.trim() === "") throw usage("--client takes the name that a client gives itself, such as claude-code");
  return name;
}

/**
 * Says whose tools an answer is about, in its first line. That does not depend on what runs: it is a session of one's own, as
 * `toolcrib run` opens it, unless a client is named. A world and a kept session say it by themselves.
 */
export function sayScene(
  input: CommandInput,
  { client, agent, caller }: Pick<Overrides, "client" | "agent" | "caller">,
): void {
  const { args, running } = input;
  if (args.has("world") || args.has("session") || args.has("at") || !SCENES.has(args.command)) return;
  const isSubagent = args.has("subagent");
  sayOnce(input, "scene", describeScene({ client, agent, caller, isSubagent }, running?.clients() ?? []));
}

/** Those that can be asked for a client. */
const SCENES: ReadonlySet<string | null> = new Set(["list", "why", "search", "diff"]);

interface Asked extends Pick<Overrides, "client" | "agent" | "caller"> {
  readonly isSubagent: boolean;
}

function describeScene({ client, agent, caller, isSubagent }: Asked, connected: readonly Client[]): string {
  if (caller !== null) {
    const via = client === null ? "" : ` with the client ${JSON.stringify(client.value)}`;
    const groups = caller.groups.length === 0 ? "no people groups" : `people groups ${caller.groups.join(", ")}`;
    return `As ${describePerson(caller)} (${groups}) gets it through the gateway${via}.`;
  }
  if (client !== null)
    return `As the client ${JSON.stringify(client.value)} gets it; as "toolcrib run" gets it without --client.`;
  const who = isSubagent
    ? `the agent ${JSON.stringify(agent?.value)} gets it from another one`
    : '"toolcrib run" gets it';
  const names = [...new Set(connected.map(({ name }) => name))];
  const here = names.length === 0 ? "" : ` (connected now: ${names.join(", ")})`;
  return `As ${who}; --client NAME for what a client gets${here}.`;
}
