import { type Client, toClient } from "../../../core/scene/client.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { toClientRow } from "../../../runtime/report/toolset-rows.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import type { Overrides } from "../command-line/overrides.ts";
import { isForeign, sayOnce } from "../configuration/say-once.ts";
import type { ToolQuestion } from "./question.ts";

type Named = Pick<Overrides, "client">;

/**
 * The question as a client would put it, where one is meant: what the gateway would offer it. That is the client that
 * was named; beside a running Toolcrib, the one that is connected, or an unknown one.
 */
export async function forClient(
  question: ToolQuestion,
  input: CommandInput,
  { client: named }: Named,
): Promise<ToolQuestion> {
  const name = named === null ? findName(input) : checkName(named.value);
  if (name === undefined) return question;
  const { toolset: _, ...asked } = question;
  const { scene, config, notices } = asked;
  // A world says by itself which built-in tools there are.
  if (config === undefined) return { ...asked, scene: { ...scene, client: toClient(name) } };
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

/** What people ask about in front of a client; all other questions are about a session of one's own. */
const SEEN: ReadonlySet<string | null> = new Set(["list", "why", "search"]);

/** Null: any client, of which nothing is known. Undefined: no client at all. */
function findName(input: CommandInput): string | null | undefined {
  const { args, running } = input;
  if (!SEEN.has(args.command) || args.has("world") || args.has("fresh")) return undefined;
  if (running === undefined && !isForeign(input)) return undefined;
  const name = commonName(running?.clients() ?? []);
  const who = name === null ? "an unknown client" : name;
  sayOnce(
    input,
    "view",
    `As ${who} sees it through Toolcrib; --client NAME for another, --fresh for a session of your own.`,
  );
  return name;
}

/** What is known of several clients counts for all of them where it is the same row of the table. */
function commonName(clients: readonly Client[]): string | null {
  const [first, ...others] = clients;
  if (first === undefined) return null;
  const isSame = ({ row, name }: Client): boolean => (first.row === null ? name === first.name : row === first.row);
  return others.every(isSame) ? first.name : null;
}
