import type { Entry } from "../../../core/catalog/entry.ts";
import type { Hints } from "../../../core/search/rank-words.ts";
import type { SearchIndex } from "../../../core/search/search-index.ts";
import { UsageMemory, type Use } from "../../../core/search/usage-memory.ts";

/**
 * Where a program stores what searches led to: names of tools and stems of the words that were searched for, both
 * limited; never arguments, results or whole requests.
 */
export interface UsageStore {
  /** What was saved for this tenant; an empty list if nothing was. */
  load(tenant: string): Promise<readonly Use[]>;
  /** Replaces what was saved for this tenant. */
  save(tenant: string, uses: readonly Use[]): Promise<void>;
}

export interface UsageSetting {
  readonly store: UsageStore | null;
  /** Whose searches these are; tenants never see what others searched for. */
  readonly tenant: string;
}

/** Learns from searches that were followed by a successful call, and ranks later searches by that. */
export interface SearchUsage {
  /** What is known about the tools for the words of a query. */
  hints(index: SearchIndex<Entry>, entries: () => readonly Entry[]): Promise<(query: string) => Hints<Entry>>;
  searched(query: string, found: readonly Entry[]): void;
  /** Whether a search was made whose outcome is not known. */
  readonly isWaiting: boolean;
  succeeded(identity: string): void;
  /** Waits until everything is stored. */
  close(): Promise<void>;
}

interface Search {
  readonly query: string;
  readonly found: Set<string>;
}

/** A call counts for the last search that found its tool, if that is among the last few. */
const RECENT = 8;
/** More than any memory keeps. */
const MAX_LOADED = 64_000;

export function createSearchUsage(
  { store, tenant }: UsageSetting,
  now: () => number,
  onError: (text: string, error: unknown) => void,
): SearchUsage {
  const recent: Search[] = [];
  let opened: Promise<Kept> | null = null;
  let recording = Promise.resolve();
  const open = (): Promise<Kept> => {
    opened ??= openKept(store, tenant).catch((error: unknown) => {
      // What could not be read must not be written over.
      onError("what earlier searches led to could not be read", error);
      return createKept(new UsageMemory(), null);
    });
    return opened;
  };

  return {
    async hints(index, entries) {
      const { memory } = await open();
      if (memory.size === 0) return () => ({});
      return (query) => {
        const scores = memory.match(index, query, now());
        const remembered = new Map<Entry, number>();
        for (const entry of scores.size === 0 ? [] : entries()) {
          const score = scores.get(entry.identity);
          if (score !== undefined) remembered.set(entry, score);
        }
        return { remembered };
      };
    },
    searched(query, found) {
      recent.push({ query, found: new Set(found.map(({ identity }) => identity)) });
      if (recent.length > RECENT) recent.shift();
    },
    get isWaiting() {
      return recent.length > 0;
    },
    succeeded(identity) {
      const search = recent.findLast(({ found }) => found.has(identity));
      if (search === undefined) return;
      search.found.delete(identity);
      const at = now();
      recording = recording.then(async () => {
        const kept = await open();
        kept.memory.record({ query: search.query, identity, at });
        kept.write((error) => onError("what searches led to could not be stored", error));
      });
    },
    async close() {
      await recording;
      await (await opened)?.written();
    },
  };
}

/** One tenant's memory, shared by all its sessions on the same store, and written by one of them at a time. */
interface Kept {
  readonly memory: UsageMemory;
  write(onError: (error: unknown) => void): void;
  written(): Promise<void>;
}

const shared = new WeakMap<UsageStore, Map<string, Promise<Kept>>>();

function openKept(store: UsageStore | null, tenant: string): Promise<Kept> {
  if (store === null) return Promise.resolve(createKept(new UsageMemory(), null));
  const byTenant = shared.get(store) ?? new Map<string, Promise<Kept>>();
  shared.set(store, byTenant);
  const known = byTenant.get(tenant);
  if (known !== undefined) return known;
  const opened = (async () => {
    const memory = UsageMemory.from(readUses(await store.load(tenant)));
    return createKept(memory, (uses) => store.save(tenant, uses));
  })();
  byTenant.set(tenant, opened);
  opened.catch(() => byTenant.delete(tenant));
  return opened;
}

function createKept(memory: UsageMemory, save: ((uses: readonly Use[]) => Promise<void>) | null): Kept {
  let writing: Promise<void> | null = null;
  let isDirty = false;
  return {
    memory,
    write(onError) {
      if (save === null) return;
      isDirty = true;
      writing ??= (async () => {
        while (isDirty) {
          isDirty = false;
          await save(memory.toUses());
        }
      })()
        .catch(onError)
        .finally(() => {
          writing = null;
        });
    },
    async written() {
      await writing;
    },
  };
}

/** A stored file is nobody's promise. */
export function readUses(uses: unknown): readonly Use[] {
  if (!Array.isArray(uses)) return [];
  return uses
    .slice(-MAX_LOADED)
    .filter(
      (use: unknown): use is Use =>
        typeof use === "object" &&
        use !== null &&
        typeof Reflect.get(use, "query") === "string" &&
        typeof Reflect.get(use, "identity") === "string" &&
        Number.isFinite(Reflect.get(use, "at")),
    );
}
