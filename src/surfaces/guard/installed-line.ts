import type { HookClientName } from "./hook-clients.ts";

/** The file that the lines of one person's clients run, below a folder for it. */
export const SCRIPT = "toolcrib/guard/hook.sh";

/** What a repository's own files say, which name no place of a machine. */
export function portableLine(client: HookClientName): string {
  return `toolcrib hook ${client} || exit 2`;
}

/** Whether a command is one that `guard install` wrote for this client, in this version or another, or that a person copied. */
export function isInstalledLine(text: string, client: HookClientName): boolean {
  const [, name] = /(?:\btoolcrib(?:\.js)?['"]? hook|\/toolcrib\/guard\/hook\.sh['"]?) ([a-z-]+)/.exec(text) ?? [];
  return name === client;
}
