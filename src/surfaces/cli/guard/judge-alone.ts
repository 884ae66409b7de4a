import type { Grant } from "../../../runtime/permissions/grant.ts";
import type { GrantStore } from "../../../runtime/permissions/grant-store.ts";
import type { ClientAnswer } from "../../guard/hook-answer.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";
import type { Fields } from "../../guard/hook-event.ts";
import type { Io } from "../terminal/io.ts";
import { answerRead, type ReadQuestion, readQuestion } from "./answer-hook.ts";
import { printHookAnswer, readHookWords } from "./ask-judges.ts";
import { createHookLogs } from "./hook-log.ts";
import type { HookPlace } from "./hook-place.ts";
import { inTime } from "./in-time.ts";
import { type JudgePorts, judgeEvent, policyPlace } from "./judge-event.ts";
import { findKeptPolicy, type KeptPolicy } from "./kept-policy.ts";

/**
 * Judges a client's call by what an earlier hook has kept, where no Toolcrib runs; null where that does not count any more. It
 * is loaded before every such hook, so it reads no configuration.
 */
export async function judgeAlone(argv: readonly string[], io: Io): Promise<number | null> {
  const words = readHookWords(argv);
  if (words === null || !isClient(words.client)) return null;
  const { client, isSealed } = words;
  const read = readQuestion({ client, event: await io.readInput("end") });
  if ("status" in read) return printHookAnswer(io, read, isSealed);
  const kept = await findKeptPolicy(policyPlace(io, read.client, read.event)).catch(() => null);
  if (kept === null) return null;
  return printHookAnswer(io, await inTime(() => answer(io, read, kept)), isSealed);
}

function isClient(name: string): name is HookClientName {
  return Object.hasOwn(HOOK_CLIENTS, name);
}

/** What was judged by last. */
let last: { readonly place: HookPlace; readonly kept: KeptPolicy } | null = null;

/** Judges a few calls of other kinds than the last, and tells nobody; false if there was none. */
export async function judgeSamples(): Promise<boolean> {
  if (last === null) return false;
  const { place, kept } = last;
  const cwd = place.cwd;
  for (const [tool, input] of SAMPLES) {
    const event = { session: null, agent: null, call: null, cwd, tool, input, served: null };
    await judgeEvent(portsOf(kept), place, "claude-code", event);
  }
  return true;
}

const SAMPLES: readonly (readonly [tool: string, input: Fields])[] = [
  [
    "Bash",
    {
      command:
        'cd a && for f in *.md; do grep -n "$f" b | sort > c 2>&1; done; npm test -- --watch=$(git rev-parse HEAD)',
    },
  ],
  ["Edit", { file_path: "a.txt" }],
  ["mcp__a__b", {}],
];

async function answer(io: Io, read: ReadQuestion, kept: KeptPolicy): Promise<ClientAnswer> {
  last = { place: policyPlace(io, read.client, read.event), kept };
  const logs = createHookLogs();
  const said = await answerRead(io, read, { ...portsOf(kept), logs });
  await logs.close();
  return said;
}

function portsOf(kept: KeptPolicy): JudgePorts {
  const grants = toStillGrants(kept.grants);
  return { load: async () => kept, grants: { of: async () => grants } };
}

/** Approvals as they were read a moment ago. */
function toStillGrants(grants: readonly Grant[]): GrantStore {
  const change = () => Promise.reject(new Error("a hook changes no approvals"));
  return { grants, refresh: async () => {}, add: change, revoke: change };
}
