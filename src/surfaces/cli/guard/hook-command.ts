import type { ClientAnswer } from "../../guard/hook-answer.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";
import { parseWord } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { answerHook, refuseHook } from "./answer-hook.ts";
import { printHookAnswer } from "./ask-judges.ts";
import { createHookGrants } from "./hook-grants.ts";
import { createHookLogs } from "./hook-log.ts";
import { loadPolicy } from "./hook-policy.ts";

/** Milliseconds, less than any client waits: one that gives up goes on as if nobody had said no. */
const PATIENCE = 8_000;

/**
 * `toolcrib hook CLIENT`: says what the rules are about one call that a client is about to run. Whatever goes wrong ends with
 * the status that clients take for a no.
 */
export async function runHook(input: CommandInput): Promise<number> {
  return printHookAnswer(input.io, await inTime(input), input.args.has("sealed"));
}

async function inTime(input: CommandInput): Promise<ClientAnswer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ClientAnswer>((resolve) => {
    timer = setTimeout(() => resolve(refuseHook(`there was no answer within ${PATIENCE / 1_000} s`)), PATIENCE);
  });
  try {
    return await Promise.race([decide(input), late]);
  } catch (error) {
    return refuseHook(error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
  }
}

async function decide(input: CommandInput): Promise<ClientAnswer> {
  const names = Object.keys(HOOK_CLIENTS) as HookClientName[]; // Keys of the table.
  const client = parseWord("CLIENT", input.args.operands[0] ?? "", names);
  const event = await input.io.readInput("end");
  const [grants, logs] = [createHookGrants(), createHookLogs()];
  const answer = await answerHook(input, { client, event }, { load: loadPolicy, grants, logs });
  await Promise.all([grants.close(), logs.close()]);
  return answer;
}
