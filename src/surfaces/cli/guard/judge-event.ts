import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { type GuardAnswer, type GuardCall, PASS, strictestAnswer } from "../../../runtime/guard/guard-call.ts";
import { judgeGuarded } from "../../../runtime/guard/judge-guarded.ts";
import { HOOK_CLIENTS, type HookClient, type HookClientName } from "../../guard/hook-clients.ts";
import type { GuardEvent } from "../../guard/hook-event.ts";
import { PROBE_SESSION, PROBED } from "../../guard/probe.ts";
import { toGuardCalls } from "../../guard/to-guard-calls.ts";
import type { HookGrants } from "./hook-grants.ts";
import type { HookPlace, HookPolicy, LoadPolicy } from "./hook-place.ts";
import { isOwnCall } from "./own-entry.ts";

/** What is said about a client's call, and by what. */
export interface JudgedEvent extends HookPolicy {
  readonly answer: GuardAnswer;
  /** What the event is in our terms: the strictest answer about them is the answer. */
  readonly calls: readonly GuardCall[];
  /** The call goes on to our own gateway, which asks about it and logs it. */
  readonly isOwn: boolean;
}

/** Where what a judgement needs is kept from one call to the next. */
export interface JudgePorts {
  readonly load: LoadPolicy;
  readonly grants: Pick<HookGrants, "of">;
}

/** What a client's hook answers about a call: the one judgement for hooks and for those who ask what a hook would say. */
export async function judgeEvent(
  { load, grants }: JudgePorts,
  asked: HookPlace,
  name: HookClientName,
  event: GuardEvent,
): Promise<JudgedEvent | string> {
  const io = policyPlace(asked, name, event);
  const client: HookClient = HOOK_CLIENTS[name];
  // Without a trip to another thread, which takes longer than the look itself.
  const cwd = realpathSync.native(inFolder(asked, event).cwd);
  const policy = await load(io);
  const { config, workspace } = policy;
  const calls = toGuardCalls(event, client, config.servers.keys());
  if (typeof calls === "string") return calls;
  const home = homeFolder(io.env);
  const place = { cwd, workspace, home, path: io.env.PATH ?? "", now: Date.now };
  const typesUnseen = client.typesUnseen === true;
  const held = await grants.of(io, policy);
  const answers = await Promise.all(
    calls.map((call) => judgeGuarded(call, { ...place, typesUnseen, config, grants: held })),
  );
  const answer = event.session === PROBE_SESSION ? PROBED : strictestAnswer(answers);
  const isOwn = await isOwnCall(calls, client, { workspace, home, io });
  return { answer: isOwn && answer.answer !== "deny" ? PASS : answer, calls, isOwn, config, workspace };
}

/** The client's folder decides which configuration counts, wherever its hooks are started. */
export function policyPlace(asked: HookPlace, name: HookClientName, event: GuardEvent): HookPlace {
  const client: HookClient = HOOK_CLIENTS[name];
  // A model would choose the configuration with the folder.
  return client.namesFolderOfCall === true ? asked : inFolder(asked, event);
}

function inFolder({ cwd, env }: HookPlace, event: GuardEvent): HookPlace {
  return { cwd: event.cwd === null || !isAbsolute(event.cwd) ? cwd : event.cwd, env };
}
