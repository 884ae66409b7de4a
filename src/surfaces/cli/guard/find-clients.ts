import { existsSync } from "node:fs";
import { findProgram } from "../../../system/process/find-program.ts";
import { CLIENT_PLACES, clientFolders, type GuardPlaces } from "../../guard/guard-places.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";
import { parseWord } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";

export const GUARD_CLIENTS = Object.keys(HOOK_CLIENTS) as readonly HookClientName[]; // Keys of the table.

/** A client of this machine, and by what it was found. */
export interface FoundClient {
  readonly client: HookClientName;
  /** The file of its program; null if none is on the path. */
  readonly program: string | null;
  /** A folder that it has made; null if there is none. */
  readonly folder: string | null;
}

export function lookForClient(client: HookClientName, places: GuardPlaces): FoundClient {
  return {
    client,
    program: findProgram(CLIENT_PLACES[client].program, places.env.PATH ?? ""),
    folder: clientFolders(client, places).find((folder) => existsSync(folder)) ?? null,
  };
}

export function isHere({ program, folder }: FoundClient): boolean {
  return program !== null || folder !== null;
}

/** Those that are installed here. */
export function findClients(places: GuardPlaces): readonly FoundClient[] {
  return GUARD_CLIENTS.map((client) => lookForClient(client, places)).filter(isHere);
}

/** Those that the command line names, behind the action. */
export function readClients({ args }: CommandInput): readonly HookClientName[] {
  const words = args.operands.slice(1).flatMap((word) => word.split(","));
  return [...new Set(words.filter((word) => word !== "").map((word) => parseWord("CLIENT", word, GUARD_CLIENTS)))];
}
