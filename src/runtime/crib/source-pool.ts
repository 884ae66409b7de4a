import type { McpPeer } from "../../sources/peer.ts";
import type { Source } from "../../sources/source.ts";
import { type Clock, SYSTEM_CLOCK, type Timer } from "../../system/time/clock.ts";
import type { WantedSource } from "../session/sources/configured-sources.ts";
import { derive } from "../session/sources/with-client.ts";

/** Running sources shared by several sessions: one per key, while anybody holds it and a little longer. */
export interface SourcePool {
  /** The source for one holder: closing it only ends this lease. */
  lease(wanted: WantedSource): Promise<Source>;
  /** Running sources that are everybody's, held or not. */
  readonly sources: readonly Source[];
  /** Running sources of one person at one server, of which there are several where each client has its own. */
  ofPerson(person: string, server: string): readonly Source[];
  /** How many hold a source; 0 for one that is about to be closed. */
  holders(key: string): number;
  /** Whether something that runs would end with this holder: nobody else has a lease, or it is none of this pool. */
  isHeldAlone(source: Source): boolean;
  /** Closes all sources, even those in use. Twice is fine. */
  close(): Promise<void>;
}

export interface SourcePoolOptions {
  readonly clock?: Clock;
  /** Milliseconds for which a source without holders keeps running, so that a returning client finds it running. */
  readonly grace?: number;
  readonly onError: (text: string, error: unknown) => void;
}

interface Pooled {
  readonly wanted: WantedSource;
  readonly opening: Promise<Source>;
  source: Source | null;
  holders: number;
  timer: Timer | null;
}

const GRACE = 30_000;

export function createSourcePool({ clock = SYSTEM_CLOCK, grace = GRACE, onError }: SourcePoolOptions): SourcePool {
  const pool = new Map<string, Pooled>();
  const leased = new WeakMap<object, Pooled>();
  const ending = new Set<Promise<void>>();
  let closed: Promise<void> | null = null;

  const end = (key: string, pooled: Pooled): void => {
    if (pool.get(key) !== pooled) return;
    pool.delete(key);
    if (pooled.timer !== null) clock.clearTimeout(pooled.timer);
    const work: Promise<void> = pooled.opening
      .then((source) => source.close())
      .catch((error: unknown) => onError("a source could not be closed", error))
      .finally(() => ending.delete(work));
    ending.add(work);
  };

  const release = (key: string, pooled: Pooled): void => {
    pooled.holders -= 1;
    if (pooled.holders > 0 || pool.get(key) !== pooled) return;
    // Nobody can come back to what was one client's.
    if (pooled.wanted.sharable === false) end(key, pooled);
    else pooled.timer = clock.setTimeout(() => end(key, pooled), grace);
  };

  const hold = (wanted: WantedSource): Pooled => {
    const { key, open } = wanted;
    const known = pool.get(key);
    if (known !== undefined) {
      if (known.timer !== null) clock.clearTimeout(known.timer);
      known.timer = null;
      known.holders += 1;
      return known;
    }
    const pooled: Pooled = { wanted, opening: open(), source: null, holders: 1, timer: null };
    pool.set(key, pooled);
    pooled.opening.then(
      (source) => {
        pooled.source = source;
      },
      () => {
        // The next holder tries again.
        if (pool.get(key) === pooled) pool.delete(key);
      },
    );
    return pooled;
  };

  const running = (isMeant: (wanted: WantedSource) => boolean): readonly Source[] =>
    [...pool.values()].flatMap(({ wanted, source }) => (source !== null && isMeant(wanted) ? [source] : []));

  return {
    async lease(wanted) {
      if (closed !== null) throw new Error("the pool of sources is closed");
      const pooled = hold(wanted);
      try {
        const lease = toLease(await pooled.opening, () => release(wanted.key, pooled));
        leased.set(lease, pooled);
        return lease;
      } catch (error) {
        release(wanted.key, pooled);
        throw error;
      }
    },
    get sources() {
      return running(({ person }) => person === undefined);
    },
    ofPerson: (person, server) => running((wanted) => wanted.person === person && wanted.server === server),
    holders: (key) => pool.get(key)?.holders ?? 0,
    isHeldAlone: (source) => isRunning(source) && (findLease(source, leased)?.holders ?? 0) < 2,
    close() {
      closed ??= (async () => {
        for (const [key, pooled] of [...pool]) end(key, pooled);
        await Promise.all(ending);
      })();
      return closed;
    },
  };
}

/** What was made of a lease has it as its prototype. */
function findLease<T>(source: Source, leased: WeakMap<object, T>): T | undefined {
  for (let one: object | null = source; one !== null; one = Object.getPrototypeOf(one)) {
    const found = leased.get(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A server that nobody has used yet, or that ended because nobody does, loses nothing. */
function isRunning(source: Source): boolean {
  // What built-in tools hold follows from which there are.
  if (source.kind === "builtin") return false;
  return source.status.state === "starting" || !("peer" in source) || (source.peer as McpPeer).era !== null;
}

/** Everything that the source has, including what only its kind has; but closing it ends only this lease. */
function toLease(source: Source, onClose: () => void): Source {
  const stops = new Set<() => void>();
  let open = true;
  const own: Pick<Source, "changes" | "close"> = {
    changes(listener) {
      if (!open) return () => {};
      const stop = source.changes(listener);
      stops.add(stop);
      return () => {
        stops.delete(stop);
        stop();
      };
    },
    async close() {
      if (!open) return;
      open = false;
      for (const stop of stops) stop();
      stops.clear();
      onClose();
    },
  };
  return derive(source, own);
}
