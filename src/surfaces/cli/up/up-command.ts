import { writeLines } from "../../../system/text/escape-text.ts";
import type { McpClient } from "../clients/client-entry.ts";
import type { Written } from "../clients/up-clients.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readIdle } from "../command-line/number-options.ts";
import { MCP_CLIENTS } from "../command-line/options.ts";
import { findWorkspace, keyOfHere, reach } from "../running/find-running.ts";
import { checkListenFlags } from "./up-listen.ts";

/** `toolcrib up`, and bare `toolcrib`: the gateway and the inspector, until Ctrl-C or in the background. */
export async function runUp(input: CommandInput): Promise<number> {
  const { args } = input;
  if (args.has("undo")) return (await import("../clients/up-written.ts")).runUndo(input);
  const idle = readIdle(args);
  const clients = (args.list("write") ?? []).map((name) => parseWord("--write", name, MCP_CLIENTS));
  if (args.has("move") && clients.length === 0)
    throw usage("--move needs --write with the clients whose files it is for");
  checkListenFlags(input);
  const written = clients.length === 0 ? null : await write(input, clients);
  // Starting one in the background loads nothing of what runs there. Beside one that runs, writing was all there was to do.
  if (args.has("detach") || (written !== null && (await isRunning(input))))
    return (await import("./up-detached.ts")).runDetached(input);
  return (await import("./up-foreground.ts")).runInForeground(input, { written, idle });
}

async function isRunning(input: CommandInput): Promise<boolean> {
  const { places, key } = await keyOfHere(input);
  const found = await reach(places, key, { ask: "status" });
  found?.socket.destroy();
  return found !== null;
}

/** Whether or not one can be started now, these files have been written, so that is said at once. */
async function write(input: CommandInput, clients: readonly McpClient[]): Promise<Written> {
  const [{ writeClients }, { describeWritten }] = await Promise.all([
    import("../clients/up-clients.ts"),
    import("../clients/up-written.ts"),
  ]);
  const written = await writeClients(input, clients, await findWorkspace(input));
  if (!input.args.has("json")) input.io.out(writeLines(describeWritten(written)));
  return written;
}
