import { createCopilotServer } from "./copilot-server.ts";
import type { Onlooker } from "./state/onlooker.ts";
import { readFlags } from "./wire/flags.ts";

/** A page on what goes on here. */
export interface AppInspector {
  /** With its token. */
  readonly address: string;
  readonly onlooker: Onlooker;
  close(): Promise<void>;
}

/** Serves Copilot SDK clients until they are gone; resolves to the exit status. */
export async function serveCopilot(
  argv: readonly string[],
  inspect: (note: (text: string) => void) => Promise<AppInspector>,
): Promise<number> {
  const flags = readFlags(argv);
  // Standard output belongs to the protocol.
  const note = (text: string): void => void process.stderr.write(`toolcrib: ${text}\n`);
  if ("problem" in flags) {
    note(flags.problem);
    return 2;
  }
  const inspector = flags.inspects
    ? await inspect(note).catch((error: unknown) => note(`no inspector: ${error}`))
    : null;
  if (inspector) note(`inspector at ${inspector.address}`);
  const server = createCopilotServer(flags, note, undefined, inspector?.onlooker);
  const over: Promise<unknown>[] = [server.ended];
  if (flags.port === null) over.push(server.serve(process.stdin, process.stdout).closed);
  else {
    const port = await server.listen(flags.port, flags.host).catch((error: Error) => note(error.message));
    if (port === undefined) return 2;
    process.stdout.write(`listening on port ${port}\n`);
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    over.push(new Promise((resolve) => process.once(signal, resolve)));
  await Promise.race(over);
  await Promise.all([server.close(), inspector?.close()]);
  return 0;
}
