import { hash } from "node:crypto";
import { acceptsFor, listAccepted, withTrustedAcceptance } from "../../config/lock/accepted-warnings.ts";
import { approve, buildLock, type DefinitionChange, listChanges } from "../../config/lock/changes.ts";
import { type LockFile, lockAfter } from "../../config/lock/lock.ts";
import { loadLock, saveLock } from "../../config/lock/lock-file.ts";
import { serversOf } from "../../config/servers-of.ts";
import type { WrittenItem } from "../../config/trust/trust-items.ts";
import { toPinnedSignature } from "../../core/tool/pinned-signature.ts";
import { oneAtATime } from "../../system/files/one-at-a-time.ts";
import type { Crib } from "../crib/crib.ts";

/** Changes that wait for a person in a running Toolcrib, and how to approve one at once. */
export interface DefinitionChanges {
  /** An id identifies what is shown: a definition that changes again gets another one. */
  list(signal: AbortSignal): Promise<readonly DefinitionChange[]>;
  /** False if there is no such change, or no longer: nobody approves what they were not shown. */
  approve(id: string, signal: AbortSignal): Promise<boolean>;
  /** Pins everything as it is now, except what the scanner holds back. False if there is a lock already. */
  pinAll(signal: AbortSignal): Promise<boolean>;
  changes(listener: () => void): () => void;
}

export function createDefinitionChanges(
  crib: Pick<Crib, "config" | "main" | "changes" | "reconfigure">,
  cwd: string,
  /** Stores that a person here agrees to what a scan found in that tool. */
  trustFindings: (tool: string) => Promise<void>,
): DefinitionChanges {
  const listeners = new Set<() => void>();
  let inTurn: Promise<unknown> = Promise.resolve();
  const now = (lockFile: LockFile | null): Promise<readonly DefinitionChange[]> =>
    listChanges(crib.main.toolset, serversOf(crib.config), lockFile);
  const shownIdOf = ({ id, kind, server }: DefinitionChange): string => {
    const entry = crib.main.toolset.catalog.entries.find(({ identity }) => `tool:${identity}` === id);
    const is = kind === "launch" ? serversOf(crib.config).get(server)?.launch : entry && toPinnedSignature(entry.tool);
    return `${id}@${hash("sha256", is ?? "").slice(0, 16)}`;
  };

  /** Reads the file again, because somebody may have approved something else on the command line in the meantime. */
  const approveOne = async (id: string, signal: AbortSignal): Promise<boolean> => {
    const { config, main } = crib;
    if (config.lock === null) return false;
    const { path } = config.lock;
    const taken = await oneAtATime(path, async () => {
      const lockFile = await loadLock(path, cwd);
      const change = (await now(lockFile)).find((one) => shownIdOf(one) === id);
      signal.throwIfAborted();
      if (change === undefined) return null;
      const servers = serversOf(config);
      // The first approval pins everything else as it is, or the lock would hide it all.
      const base = lockAfter(lockFile, config.lock?.lock ?? null) ?? buildLock(main.toolset, servers, null);
      return { tool: change.tool, lock: await saveLock(lockFile, approve(base, change, main.toolset, servers)) };
    });
    if (taken === null) return false;
    await trustFindings(taken.tool);
    await take(taken.lock, acceptsFor(taken.tool));
    return true;
  };

  const pinEverything = async (signal: AbortSignal): Promise<boolean> => {
    const { config, main } = crib;
    if (config.lock === null) return false;
    const { path } = config.lock;
    const lock = await oneAtATime(path, async () => {
      const lockFile = await loadLock(path, cwd);
      signal.throwIfAborted();
      return lockFile.lock === null ? saveLock(lockFile, buildLock(main.toolset, serversOf(config), null)) : null;
    });
    if (lock === null) return false;
    await take(lock);
    return true;
  };
  /** The file may accept more than was trusted here: only what counted before, and what was just approved, does. */
  const take = async (lock: LockFile, isApproved: (item: WrittenItem) => boolean = () => false): Promise<void> => {
    const { config } = crib;
    const counted = new Set(config.lock === null ? [] : listAccepted(config.lock).map((item) => item.hash));
    const trusted = withTrustedAcceptance(lock, (item) => isApproved(item) || counted.has(item.hash));
    await crib.reconfigure({ ...config, lock: trusted });
    for (const listener of [...listeners]) listener();
  };
  const next = (work: () => Promise<boolean>): Promise<boolean> => {
    const run = inTurn.then(work);
    inTurn = run.catch(() => {});
    return run;
  };

  return {
    list: async () => (await now(crib.config.lock)).map((change) => ({ ...change, id: shownIdOf(change) })),
    approve: (id, signal) => next(() => approveOne(id, signal)),
    pinAll: (signal) => next(() => pinEverything(signal)),
    changes(listener) {
      const own = (): void => listener();
      listeners.add(own);
      const stop = [crib.changes(own), crib.main.on("session.tools_updated", own)];
      return () => {
        listeners.delete(own);
        for (const one of stop) one();
      };
    },
  };
}
