import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { backoffDelay } from "../../system/time/backoff.ts";
import type { Clock, Timer } from "../../system/time/clock.ts";
import { createRefreshPace } from "../../system/time/refresh-pace.ts";
import { withTimeout } from "../../system/time/with-timeout.ts";
import type { Connection } from "./connection.ts";
import type { McpLimits } from "./limits.ts";
import { type ServerTraits, type ToolReading, toTools } from "./to-tools.ts";

export interface ToolListOptions {
  readonly about: ServerTraits;
  readonly limits: McpLimits;
  readonly clock: Clock;
  /** The connection to ask; null while there is none. */
  readonly connection: () => Connection | null;
  readonly onChange: () => void;
  /** Entries that the server listed when it last ran. */
  readonly earlier?: readonly unknown[];
  /** Takes what the server listed now. */
  readonly onListed?: (entries: readonly unknown[]) => void;
}

/** The last good list of one server, refreshed when it says so and no more often than allowed. */
export interface ToolList {
  readonly tools: readonly Tool[];
  /** Whether there is a list, of this start or of an earlier one. */
  readonly known: boolean;
  /** Whether the server has listed its tools since it was opened. */
  readonly loaded: boolean;
  /** Why the list may be out of date although the server is there; null when it is not. */
  readonly trouble: string | null;
  /** Entries of the last list that are no tools. */
  readonly skipped: number;
  /** A tool as the server listed it; null for one that is not of it. */
  definitionOf(tool: Tool): Readonly<Record<string, unknown>> | null;
  /** Fetches the list of a new connection. */
  load(connection: Connection, signal: AbortSignal): Promise<void>;
  announceChange(): void;
  close(): void;
}

export function createToolList(options: ToolListOptions): ToolList {
  const { about, limits, clock, connection, onChange, earlier } = options;
  const pace = createRefreshPace(limits.refreshInterval);
  const stop = new AbortController();
  const definitions = new WeakMap<Tool, Readonly<Record<string, unknown>>>();
  let tools: readonly Tool[] = [];
  let loaded = false;
  let trouble: string | null = null;
  let skipped = 0;
  let failures = 0;
  let timer: Timer | null = null;

  const take = (reading: ToolReading): void => {
    tools = reading.tools;
    reading.tools.forEach((tool, at) => {
      const definition = reading.definitions[at];
      if (definition !== undefined) definitions.set(tool, definition);
    });
    skipped = reading.skipped;
  };
  if (earlier !== undefined) take(toTools(earlier, about, tools));
  const load = async (from: Connection, signal: AbortSignal): Promise<boolean> => {
    const entries = await from.listTools(signal);
    const reading = toTools(entries, about, tools);
    signal.throwIfAborted();
    const changed = reading.tools !== tools || !loaded || trouble !== null || reading.skipped !== skipped;
    take(reading);
    options.onListed?.(entries);
    loaded = true;
    trouble = null;
    return changed;
  };
  const schedule = (wait: number | null): void => {
    if (wait !== null && !stop.signal.aborted) timer = clock.setTimeout(() => void refresh(), wait);
  };
  const refresh = async (): Promise<void> => {
    timer = null;
    const from = connection();
    pace.start(clock.now());
    try {
      // A server that hangs here must not hold back every later refresh.
      if (
        from !== null &&
        (await withTimeout(clock, limits.refreshTimeout, stop.signal, (signal) => load(from, signal)))
      ) {
        onChange();
      }
    } catch (error) {
      if (!stop.signal.aborted && from === connection()) {
        trouble = isToolcribError(error) ? error.message : "The server did not answer when asked for its tools.";
        onChange();
      }
    }
    failures = trouble === null ? 0 : failures + 1;
    const wait = pace.finish(clock.now()) ?? (trouble === null ? null : pace.announce(clock.now()));
    // A list that could not be had is asked for again without being told to, with growing patience.
    schedule(wait === null || trouble === null ? wait : Math.max(wait, backoffDelay(failures, 0, limits)));
  };

  return {
    get tools() {
      return tools;
    },
    get known() {
      return loaded || earlier !== undefined;
    },
    get loaded() {
      return loaded;
    },
    get trouble() {
      return trouble;
    },
    get skipped() {
      return skipped;
    },
    definitionOf: (tool) => definitions.get(tool.original ?? tool) ?? null,
    async load(from, signal) {
      await load(from, signal);
    },
    announceChange: () => schedule(pace.announce(clock.now())),
    close() {
      stop.abort();
      if (timer !== null) clock.clearTimeout(timer);
    },
  };
}
