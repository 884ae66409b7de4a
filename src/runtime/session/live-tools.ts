import { setMaxListeners } from "node:events";
import type { Tool } from "../../core/tool/tool.ts";
import { createChangeListeners } from "../../sources/parts/change-listeners.ts";
import type { Source } from "../../sources/source.ts";
import { untilAborted } from "../../system/time/until-aborted.ts";
import { waitUntil } from "../../system/time/wait-until.ts";

/** What all sources list now, kept up to date while they come, change, fail and go. */
export interface LiveTools {
  readonly tools: readonly Tool[];
  readonly sources: readonly Source[];
  /** The source that listed a tool. */
  sourceOf(tool: Tool): Source | undefined;
  add(source: Source): void;
  /** Closes a source and takes its tools away. */
  remove(source: Source): Promise<void>;
  /** Asks every source again; one that fails keeps its last list. */
  refresh(signal: AbortSignal): Promise<void>;
  /** Resolves once no source is starting any more, or when the signal says to stop waiting. */
  settled(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface LiveToolsOptions {
  /** The tools or the state of some source changed. */
  readonly onChange: () => void;
  readonly onError: (source: Source, error: unknown) => void;
}

interface Kept {
  tools: readonly Tool[];
  state: string;
  /** The listing under way, and whether another was asked for meanwhile. */
  listing: Promise<void> | null;
  again: boolean;
  stop: () => void;
}

/** Sources are listed in parallel and nobody waits for a slow one: its tools join when they arrive (C4). */
export function createLiveTools({ onChange, onError }: LiveToolsOptions): LiveTools {
  const kept = new Map<Source, Kept>();
  const closing = new AbortController();
  // Every source that is just starting listens, and lets go again.
  setMaxListeners(0, closing.signal);
  const settling = createChangeListeners();
  let owners = new Map<Tool, Source>();

  const told = (): void => {
    owners = new Map([...kept].flatMap(([source, { tools }]) => tools.map((tool) => [tool, source] as const)));
    onChange();
    settling.tell();
  };

  const take = (source: Source, entry: Kept, tools: readonly Tool[]): void => {
    if (kept.get(source) !== entry || closing.signal.aborted) return;
    const state = JSON.stringify(source.status);
    const same = tools.length === entry.tools.length && tools.every((tool, at) => tool === entry.tools[at]);
    if (same && state === entry.state) return;
    entry.tools = same ? entry.tools : [...tools];
    entry.state = state;
    told();
  };

  const listOnce = async (source: Source, entry: Kept): Promise<void> => {
    try {
      const listed = await source.list(closing.signal);
      take(source, entry, source.tools ?? listed);
    } catch (error) {
      if (kept.get(source) === entry && !closing.signal.aborted) onError(source, error);
    }
  };

  /** One listing at a time per source; what arrives meanwhile asks for one more. */
  const list = (source: Source, entry: Kept): Promise<void> => {
    if (entry.listing !== null) {
      entry.again = true;
      return entry.listing;
    }
    const work = async (): Promise<void> => {
      do {
        entry.again = false;
        await listOnce(source, entry);
      } while (entry.again && !closing.signal.aborted);
      entry.listing = null;
      settling.tell();
    };
    entry.listing = work();
    return entry.listing;
  };

  const isStarting = (): boolean =>
    [...kept].some(([source, { listing }]) => source.status.state === "starting" || listing !== null);

  return {
    get tools() {
      return [...kept.values()].flatMap(({ tools }) => tools);
    },
    get sources() {
      return [...kept.keys()];
    },
    sourceOf: (tool) => owners.get(tool.original ?? tool),
    add(source) {
      const entry: Kept = { tools: [], state: "", listing: null, again: false, stop: () => {} };
      entry.stop = source.changes(() => {
        if (source.tools === undefined) void list(source, entry);
        else take(source, entry, source.tools);
      });
      kept.set(source, entry);
      void list(source, entry);
    },
    async remove(source) {
      kept.get(source)?.stop();
      if (kept.delete(source)) told();
      await source.close();
    },
    async refresh(signal) {
      const all = Promise.all([...kept].map(([source, entry]) => (isUnlisted(source) ? null : list(source, entry))));
      await untilAborted(all, signal, () => null);
    },
    async settled(signal) {
      await waitUntil(() => closing.signal.aborted || !isStarting(), settling.add, { signal });
    },
    async close() {
      closing.abort();
      settling.tell();
      for (const { stop } of kept.values()) stop();
      const sources = [...kept.keys()].reverse();
      kept.clear();
      owners.clear();
      await Promise.allSettled(sources.map((source) => source.close()));
    },
  };
}

/** It is starting, and nothing stands in for what it will list. */
function isUnlisted({ status }: Source): boolean {
  return status.state === "starting" && status.isStandIn !== true;
}
