import { createCopilotServer } from "./copilot-server.ts";
import { readFlags } from "./flags.ts";

/** Serves Copilot SDK clients until they are gone; resolves to the exit status. */
export async function serveCopilot(argv: readonly string[]): Promise<number> {
  const flags = readFlags(argv);
  const note = (text: string): void => void process.stderr.write(`toolcrib: ${text}\n`);
  if ("problem" in flags) {
    note(flags.problem);
    return 2;
  }
  const server = createCopilotServer(flags, note);
  const over: Promise<unknown>[] = [server.ended];
  if (flags.port === null) over.push(server.serve(process.stdin, process.stdout).closed);
  else process.stdout.write(`listening on port ${await server.listen(flags.port, flags.host)}\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    over.push(new Promise((resolve) => process.once(signal, resolve)));
  await Promise.race(over);
  await server.close();
  return 0;
}
