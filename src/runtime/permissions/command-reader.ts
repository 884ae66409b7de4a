import type { CommandLine } from "../../core/rules/shell/command-line.ts";

let reading: Promise<(command: string) => CommandLine> | null = null;

/** The bash grammar is heavy: it is loaded when the first command line is read, and once. */
export function loadCommandReader(): Promise<(command: string) => CommandLine> {
  reading ??= load();
  return reading;
}

async function load(): Promise<(command: string) => CommandLine> {
  const { createShellReader } = await import("../../system/shell/read-command-line.ts");
  return (await createShellReader()).read;
}
