import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { Background, SlicedWork } from "../../system/time/background.ts";
import { backoffDelay } from "../../system/time/backoff.ts";
import type { Clock, Timer } from "../../system/time/clock.ts";
import { createRefreshPace } from "../../system/time/refresh-pace.ts";
import { withTimeout } from "../../system/time/with-timeout.ts";
import type { Connection } from "./connection.ts";
import type { McpLimits } from "./limits.ts";
import type { ListedEntry } from "./list-tools.ts";
import { readTools, type ServerTraits, type ToolReading, toTools } from "./to-tools.ts";

export interface ToolListOptions {
  readonly about: ServerTraits;
  readonly limits: McpLimits;
  readonly clock: Clock;
  readonly background: Background;
  /** The connection to ask; null while there is none. */
  readonly connection: () => Connection | null;
  readonly onChange: () => void;
  /** Entries that the server listed when it last ran. */
  readonly earlier?: readonly unknown[];
  /** Receives what the server listed now. */
  readonly onListed?: (listed: readonly ListedEntry[]) => void;
}

/** The last list of a server that worked, refreshed when the server reports a change, at a limited rate. */
export interface ToolList {
  readonly tools: readonly Tool[];
  /** Whether there is a list, of this start or of an earlier one. */
  readonly known: boolean;
  /** Whether the server has listed its tools since it was opened. */
  readonly loaded: boolean;
  /** Why the list may be out of date although the server is connected; null if it is current. */
  readonly trouble: string | null;
  /** Entries of the last list that are not tools. */
  readonly skipped: number;
  /** A tool as the server listed it; null for a tool of another source. */
  definitionOf(tool: Tool): Readonly<Record<string, unknown>> | null;
  /** Fetches the list of a new connection. */
  load(connection: Connection, signal: AbortSignal): Promise<void>;
  announceChange(): void;
  close(): void;
}

export function createToolList(options: ToolListOptions): ToolList {
  const { about, limits, clock, background, connection, onChange, earlier } = options;
  const pace = createRefreshPace(limits.refreshInterval);
  const stop = new AbortController();
  const list = newList();
  let failures = 0;
  let timer: Timer | null = null;

  if (earlier !== undefined) take(list, toTools(earlier, about));
  const schedule = (wait: number | null): void => {
    if (wait !== null && !stop.signal.aborted) timer = clock.setTimeout(() => void refresh(), wait);
  };
  const refresh = async (): Promise<void> => {
    timer = null;
    const from = connection();
    const before = background.spent;
    pace.start(clock.now());
    try {
      if (from !== null) {
        // A server that hangs here must not block every later refresh.
        const ask = (signal: AbortSignal) => from.listTools(signal);
        const listed = await withTimeout(clock, limits.refreshTimeout, stop.signal, ask);
        if (from === connection() && (await adopt(list, options, listed, stop.signal))) {
          onChange();
          await background.followed();
        }
      }
    } catch (error) {
      if (!stop.signal.aborted && from === connection()) {
        list.trouble = isToolcribError(error) ? error.message : "The server did not answer when asked for its tools.";
        onChange();
      }
    }
    failures = list.trouble === null ? 0 : failures + 1;
    const cost = background.spent - before;
    const wait = pace.finish(clock.now(), cost) ?? (list.trouble === null ? null : pace.announce(clock.now()));
    // A list that failed is requested again by itself, with growing pauses.
    schedule(wait === null || list.trouble === null ? wait : Math.max(wait, backoffDelay(failures, 0, limits)));
  };

  return {
    get tools() {
      return list.tools;
    },
    get known() {
      return list.loaded || earlier !== undefined;
    },
    get loaded() {
      return list.loaded;
    },
    get trouble() {
      return list.trouble;
    },
    get skipped() {
      return list.skipped;
    },
    definitionOf: (tool) => list.definitions.get(tool.original ?? tool) ?? null,
    async load(from, signal) {
      await adopt(list, options, await from.listTools(signal), signal);
    },
    announceChange: () => schedule(pace.announce(clock.now())),
    close() {
      stop.abort();
      if (timer !== null) clock.clearTimeout(timer);
    },
  };
}

interface CurrentList {
  readonly definitions: WeakMap<Tool, Readonly<Record<string, unknown>>>;
  tools: readonly Tool[];
  loaded: boolean;
  trouble: string | null;
  skipped: number;
  /** Counts the lists that servers sent. */
  newest: number;
}

function newList(): CurrentList {
  return { definitions: new WeakMap(), tools: [], loaded: false, trouble: null, skipped: 0, newest: 0 };
}

function take(list: CurrentList, reading: ToolReading): void {
  list.tools = reading.tools;
  reading.tools.forEach((tool, at) => {
    const definition = reading.definitions[at];
    if (definition !== undefined) list.definitions.set(tool, definition);
  });
  list.skipped = reading.skipped;
}

/** Replaces the list by what a server sent; returns whether anything changed. */
async function adopt(
  list: CurrentList,
  { about, background, onListed }: ToolListOptions,
  listed: readonly ListedEntry[],
  signal: AbortSignal,
): Promise<boolean> {
  list.newest += 1;
  const own = list.newest;
  const reading = await background.run(whileWanted(readTools(listed, about, list.tools), signal));
  signal.throwIfAborted();
  // Another connection has listed its tools in the meantime.
  if (own !== list.newest) return false;
  const changed =
    reading.tools !== list.tools || !list.loaded || list.trouble !== null || reading.skipped !== list.skipped;
  take(list, reading);
  onListed?.(listed);
  list.loaded = true;
  list.trouble = null;
  return changed;
}

/** Work that fails as soon as it is no longer wanted. */
function* whileWanted<T>(work: SlicedWork<T>, signal: AbortSignal): SlicedWork<T> {
  for (;;) {
    signal.throwIfAborted();
    const { done, value } = work.next();
    if (done) return value;
    yield;
  }
}
