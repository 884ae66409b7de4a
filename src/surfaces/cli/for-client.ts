import { toClient } from "../../core/scene/client.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { toClientRow } from "../../runtime/report/toolset-rows.ts";
import { type Arguments, usage } from "./arguments.ts";
import { escapeText } from "./escape-text.ts";
import type { Question } from "./load-question.ts";

/** The question as `--client` puts it: what the gateway would offer a client of that name. */
export async function forClient(question: Question, args: Arguments): Promise<Question> {
  const name = args.value("client");
  if (name === null) return question;
  if (name.trim() === "") throw usage("--client takes the name that a client gives itself, such as claude-code");
  const { scene, config, notices } = question;
  // A world says by itself which built-in tools there are.
  if (config === undefined) return { ...question, scene: { ...scene, client: toClient(name) } };
  const [{ chooseBuiltins }, { gatewayBuiltins }] = await Promise.all([
    import("../../sources/builtin/choose-builtins.ts"),
    import("../../runtime/crib/gateway-builtins.ts"),
  ]);
  const { builtins, notices: odd } = chooseBuiltins(gatewayBuiltins(config));
  const client = toClient(name, config.gateway.knownClients);
  return { ...question, scene: { ...scene, client, builtins }, notices: [...notices, ...odd] };
}

/** A line about the client that the tools are for; nothing where there is none. */
export function formatClient(toolset: Pick<Toolset, "scene">): string {
  const { client } = toClientRow(toolset);
  return client === undefined ? "" : `The client: ${escapeText(client)}.\n`;
}
