import { fileReaders } from "../../../config/layers/readers.ts";
import { findSame, type RecordedReads, recordReads } from "../../../config/layers/recorded-reads.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readOverrides } from "../command-line/overrides.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { findWorkspace } from "../running/find-running.ts";
import type { HookPlace, HookPolicy, LoadPolicy } from "./hook-place.ts";

/** The policy of a folder, and all that it was made of. */
export async function readPolicy(
  input: CommandInput,
): Promise<{ readonly policy: HookPolicy; readonly reads: RecordedReads }> {
  const { readers = fileReaders, ...given } = toConfigInput(input);
  const recorded = recordReads(readers, given.env);
  // What it has to say about files is for people who ask.
  const quiet = { ...input, io: { ...input.io, err: () => {} } };
  const places = { ...given, readers: recorded.readers, env: recorded.env };
  const config = await loadAsked(quiet, readOverrides(input.args), places);
  return { policy: { config, workspace: await findWorkspace(input) }, reads: recorded.reads };
}

/** What a place has of its own in place of the command's. */
export function inPlace(input: CommandInput, { cwd, env }: HookPlace): CommandInput {
  return { ...input, io: { ...input.io, cwd, env } };
}

/** Remembers policies for as long as a new look would find the same: of a process that answers many hooks. */
export function createPolicyMemory(input: CommandInput): LoadPolicy {
  const known = new Map<string, Awaited<ReturnType<typeof readPolicy>>>();
  return async (place) => {
    const { cwd, env } = place;
    const kept = known.get(cwd);
    if (kept !== undefined && (await findSame(kept.reads, fileReaders, env))) return kept.policy;
    known.delete(cwd);
    const fresh = await readPolicy(inPlace(input, place));
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= MOST_FOLDERS) known.delete(oldest);
    known.set(cwd, fresh);
    return fresh.policy;
  };
}

const MOST_FOLDERS = 100;
