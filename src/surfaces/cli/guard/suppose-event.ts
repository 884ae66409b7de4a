import type { HookClientName } from "../../guard/hook-clients.ts";
import type { GuardEvent } from "../../guard/hook-event.ts";
import type { CommandInput } from "../command-line/command.ts";
import { createHookGrants } from "./hook-grants.ts";
import type { HookPlace } from "./hook-place.ts";
import { inPlace, readPolicy } from "./hook-policy.ts";
import { type JudgedEvent, judgeEvent } from "./judge-event.ts";

/** What a client's hook would answer about a call, for those who ask. */
export async function supposeEvent(
  input: CommandInput,
  name: HookClientName,
  event: GuardEvent,
): Promise<JudgedEvent | string> {
  const grants = createHookGrants(input);
  try {
    const load = async (place: HookPlace) => (await readPolicy(inPlace(input, place))).policy;
    return await judgeEvent({ load, grants }, input.io, name, event);
  } finally {
    await grants.close();
  }
}
