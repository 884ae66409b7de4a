import { setMaxListeners } from "node:events";
import type { Tool } from "../../../core/tool/tool.ts";
import { createChangeListeners } from "../../../sources/parts/change-listeners.ts";
import type { Source } from "../../../sources/source.ts";
import { untilAborted } from "../../../system/time/until-aborted.ts";
import { waitUntil } from "../../../system/time/wait-until.ts";

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
  /** The tools or the state of this source changed. */
  readonly onChange: (source: Source) => void;
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
export function createLiveTools(options: LiveToolsOptions): LiveTools {
  return new ListedTools(options);
}

class ListedTools implements LiveTools {
  readonly #options: LiveToolsOptions;
  readonly #kept = new Map<Source, Kept>();
  readonly #closing = new AbortController();
  readonly #settling = createChangeListeners();
  /** Null until somebody asks: where hundreds of sources start, each changes who owns what. */
  #owners: ReadonlyMap<Tool, Source> | null = null;

  constructor(options: LiveToolsOptions) {
    this.#options = options;
    // Every source that is just starting listens, and lets go again.
    setMaxListeners(0, this.#closing.signal);
  }

  get tools(): readonly Tool[] {
    return [...this.#kept.values()].flatMap(({ tools }) => tools);
  }

  get sources(): readonly Source[] {
    return [...this.#kept.keys()];
  }

  sourceOf(tool: Tool): Source | undefined {
    this.#owners ??= new Map(
      [...this.#kept].flatMap(([source, { tools }]) => tools.map((own) => [own, source] as const)),
    );
    return this.#owners.get(tool.original ?? tool);
  }

  add(source: Source): void {
    const entry: Kept = { tools: [], state: "", listing: null, again: false, stop: () => {} };
    entry.stop = source.changes(() => {
      if (source.tools === undefined) void this.#list(source, entry);
      else this.#take(source, entry, source.tools);
    });
    this.#kept.set(source, entry);
    void this.#list(source, entry);
  }

  async remove(source: Source): Promise<void> {
    this.#kept.get(source)?.stop();
    if (this.#kept.delete(source)) this.#tell(source);
    await source.close();
  }

  async refresh(signal: AbortSignal): Promise<void> {
    const listed = [...this.#kept].map(([source, entry]) => (isUnlisted(source) ? null : this.#list(source, entry)));
    await untilAborted(Promise.all(listed), signal, () => null);
  }

  async settled(signal: AbortSignal): Promise<void> {
    await waitUntil(() => this.#closing.signal.aborted || !this.#isStarting(), this.#settling.add, { signal });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#settling.emit();
    for (const { stop } of this.#kept.values()) stop();
    const sources = [...this.#kept.keys()].reverse();
    this.#kept.clear();
    this.#owners = null;
    await Promise.allSettled(sources.map((source) => source.close()));
  }

  /** One listing at a time per source; what arrives meanwhile asks for one more. */
  #list(source: Source, entry: Kept): Promise<void> {
    if (entry.listing === null) entry.listing = this.#listUntilQuiet(source, entry);
    else entry.again = true;
    return entry.listing;
  }

  async #listUntilQuiet(source: Source, entry: Kept): Promise<void> {
    do {
      entry.again = false;
      try {
        const listed = await source.list(this.#closing.signal);
        this.#take(source, entry, source.tools ?? listed);
      } catch (error) {
        if (this.#isHeld(source, entry)) this.#options.onError(source, error);
      }
    } while (entry.again && !this.#closing.signal.aborted);
    entry.listing = null;
    this.#settling.emit();
  }

  #take(source: Source, entry: Kept, tools: readonly Tool[]): void {
    if (!this.#isHeld(source, entry)) return;
    const state = JSON.stringify(source.status);
    const same = tools.length === entry.tools.length && tools.every((tool, at) => tool === entry.tools[at]);
    if (same && state === entry.state) return;
    entry.tools = same ? entry.tools : [...tools];
    entry.state = state;
    this.#tell(source);
  }

  #isHeld(source: Source, entry: Kept): boolean {
    return this.#kept.get(source) === entry && !this.#closing.signal.aborted;
  }

  #isStarting(): boolean {
    return [...this.#kept].some(([source, { listing }]) => source.status.state === "starting" || listing !== null);
  }

  #tell(source: Source): void {
    this.#owners = null;
    this.#options.onChange(source);
    this.#settling.emit();
  }
}

/** It is starting, and nothing stands in for what it will list. */
function isUnlisted({ status }: Source): boolean {
  return status.state === "starting" && status.isStandIn !== true;
}
