import { parseWord } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { runGuardInstall } from "./guard-install.ts";
import { runGuardRemove } from "./guard-remove.ts";
import { runGuardStatus } from "./guard-status.ts";

const ACTIONS = { install: runGuardInstall, status: runGuardStatus, remove: runGuardRemove } as const;

/** `toolcrib guard`: the hooks of this machine's clients. */
export function runGuard(input: CommandInput): Promise<number> {
  const [word = "status"] = input.args.operands;
  return ACTIONS[parseWord("the action", word, Object.keys(ACTIONS) as (keyof typeof ACTIONS)[])](input); // Keys of the table.
}
