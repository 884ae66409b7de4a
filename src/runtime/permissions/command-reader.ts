import type { CommandLine } from "../../core/rules/shell/command-line.ts";

let reading: Promise<(command: string) => CommandLine> | null = null;

/** The bash grammar is heavy, so it is loaded once, with the first command line. */
export function loadCommandReader(): Promise<(command: string) => CommandLine> {
  reading ??= load();
  return reading;
}

async function load(): Promise<(command: string) => CommandLine> {
  const { createShellReader } = await import("../../system/shell/read-command-line.ts");
  return (await createShellReader()).read;
}
