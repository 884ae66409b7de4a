import { fileReaders } from "../../../config/layers/readers.ts";
import { recordReads } from "../../../config/layers/recorded-reads.ts";
import { OWN_STORE } from "../../../config/shape/store-shape.ts";
import { sqlitePath } from "../../../runtime/store/open-store.ts";
import type { ClientAnswer } from "../../guard/hook-answer.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";
import { parseWord } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { settingPlaces } from "../running/work-place.ts";
import { toWorkspaceStore } from "../stored/own-store.ts";
import { openWorkspaceGrants } from "../stored/workspace-grants.ts";
import { answerRead, type ReadQuestion, readQuestion } from "./answer-hook.ts";
import { printHookAnswer } from "./ask-judges.ts";
import { createHookLogs } from "./hook-log.ts";
import type { HookPolicy } from "./hook-place.ts";
import { inPlace, readPolicy } from "./hook-policy.ts";
import { inTime } from "./in-time.ts";
import { policyPlace } from "./judge-event.ts";
import { type KeptPolicy, keepPolicy, type PolicySources, stampOf } from "./kept-policy.ts";

/**
 * `toolcrib hook CLIENT`: says what the rules are about one call that a client is about to run. Whatever goes wrong ends with
 * the status that clients take for a no.
 */
export async function runHook(input: CommandInput): Promise<number> {
  let keep = (): void => {};
  const answer = await inTime(async () => {
    const names = Object.keys(HOOK_CLIENTS) as HookClientName[]; // Keys of the table.
    const client = parseWord("CLIENT", input.args.operands[0] ?? "", names);
    const read = readQuestion({ client, event: await input.io.readInput("end") });
    if ("status" in read) return read;
    const decided = await decide(input, read);
    keep = decided.keep;
    return decided.answer;
  });
  const status = printHookAnswer(input.io, answer, input.args.has("sealed"));
  keep();
  return status;
}

interface Decided {
  readonly answer: ClientAnswer;
  /** Keeps what this was judged by for the next hook. */
  readonly keep: () => void;
}

async function decide(input: CommandInput, read: ReadQuestion): Promise<Decided> {
  const place = policyPlace(input.io, read.client, read.event);
  const here = inPlace(input, place);
  const logs = createHookLogs();
  const loading = readPolicy(here);
  const opening = loading.then(({ policy }) => openGrants(here, policy));
  // A failure reaches those who wait for them.
  for (const part of [loading, opening]) part.catch(() => {});
  const ports = {
    load: async () => (await loading).policy,
    grants: { of: async () => (await opening).grants },
    logs,
  };
  const answer = await answerRead(input.io, read, ports);
  await logs.close();
  const [loaded, opened] = await Promise.all([loading, opening]).catch(() => [null, null]);
  const left = await opened?.close();
  if (loaded === null || left === undefined || left === null) return { answer, keep: () => {} };
  const { policy, reads } = loaded;
  const files = new Map([...reads.files, ...left.sources.reads.files]);
  const sources = { reads: { ...reads, files }, stamps: left.sources.stamps };
  return { answer, keep: () => keepPolicy(place, { ...policy, grants: left.grants }, sources) };
}

/** Closing tells what was read; null where the next hook could not tell whether that is still so. */
async function openGrants(here: CommandInput, policy: HookPolicy) {
  const kept = toWorkspaceStore(here, policy);
  const recorded = recordReads(fileReaders, here.io.env);
  const path = sqlitePath({ ...settingPlaces(here.io), workspace: policy.workspace });
  const stamp = () => new Map([path, `${path}-wal`].map((one) => [one, stampOf(one)]));
  const before = stamp();
  const opened = await openWorkspaceGrants(here, kept, recorded.readers);
  const { grants } = opened.grants;
  return {
    grants: opened.grants,
    async close(): Promise<(Pick<KeptPolicy, "grants"> & { readonly sources: PolicySources }) | null> {
      await opened.close();
      const stamps = stamp();
      const isStill = [...stamps].every(([one, found]) => before.get(one) === found);
      if (kept.setting.url.value !== OWN_STORE || !isStill) return null;
      return { grants, sources: { reads: recorded.reads, stamps } };
    },
  };
}
