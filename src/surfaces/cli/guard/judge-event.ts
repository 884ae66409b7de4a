import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Config } from "../../../config/config.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { type GuardAnswer, type GuardCall, PASS, strictestAnswer } from "../../../runtime/guard/guard-call.ts";
import { judgeGuarded } from "../../../runtime/guard/judge-guarded.ts";
import { HOOK_CLIENTS, type HookClient, type HookClientName } from "../../guard/hook-clients.ts";
import type { GuardEvent } from "../../guard/hook-event.ts";
import { PROBE_SESSION, PROBED } from "../../guard/probe.ts";
import { toGuardCalls } from "../../guard/to-guard-calls.ts";
import type { CommandInput } from "../command-line/command.ts";
import { createHookGrants, type HookGrants } from "./hook-grants.ts";
import { type LoadPolicy, loadPolicy } from "./hook-policy.ts";
import { isOwnCall } from "./own-entry.ts";

/** What is said about a client's call, and by what. */
export interface JudgedEvent {
  readonly answer: GuardAnswer;
  /** What the event is in our terms: the strictest answer about them is the answer. */
  readonly calls: readonly GuardCall[];
  /** The call goes on to our own gateway, which asks about it and logs it. */
  readonly isOwn: boolean;
  readonly config: Config;
  readonly workspace: string;
}

/** Where what a judgement needs is kept from one call to the next. */
export interface JudgePorts {
  readonly load: LoadPolicy;
  readonly grants: Pick<HookGrants, "of">;
}

/** What a client's hook answers about a call: the one judgement for hooks and for those who ask what a hook would say. */
export async function judgeEvent(
  asked: CommandInput,
  name: HookClientName,
  event: GuardEvent,
): Promise<JudgedEvent | string> {
  const grants = createHookGrants();
  try {
    return await judgeWith({ load: loadPolicy, grants }, asked, name, event);
  } finally {
    await grants.close();
  }
}

/** The same in a process that judges many. */
export async function judgeWith(
  { load, grants }: JudgePorts,
  asked: CommandInput,
  name: HookClientName,
  event: GuardEvent,
): Promise<JudgedEvent | string> {
  const client: HookClient = HOOK_CLIENTS[name];
  const there = inFolder(asked, event);
  // A model would choose the configuration with the folder.
  const input = client.namesFolderOfCall === true ? asked : there;
  const { io } = input;
  const cwd = await realpath(there.io.cwd);
  const policy = await load(input);
  const { config, workspace } = policy;
  const calls = toGuardCalls(event, client, config.servers.keys());
  if (typeof calls === "string") return calls;
  const home = homeFolder(io.env);
  const place = { cwd, workspace, home, path: io.env.PATH ?? "", now: Date.now };
  const typesUnseen = client.typesUnseen === true;
  const held = await grants.of(input, policy);
  const answers = await Promise.all(
    calls.map((call) => judgeGuarded(call, { ...place, typesUnseen, config, grants: held })),
  );
  const answer = event.session === PROBE_SESSION ? PROBED : strictestAnswer(answers);
  const isOwn = await isOwnCall(calls, client, { workspace, home, io });
  return { answer: isOwn && answer.answer !== "deny" ? PASS : answer, calls, isOwn, config, workspace };
}

/** The client's folder decides which configuration counts, wherever its hooks are started. */
function inFolder(input: CommandInput, { cwd }: GuardEvent): CommandInput {
  return cwd === null || !isAbsolute(cwd) ? input : { ...input, io: { ...input.io, cwd } };
}
