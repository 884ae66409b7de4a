import type { Notice } from "../../core/codes/reason.ts";
import type { DefinedTool } from "../../core/tool/define-tool.ts";
import { type Tool, toTool } from "../../core/tool/tool.ts";
import { type Clock, SYSTEM_CLOCK } from "../../system/time/clock.ts";
import { onAbort, untilAborted } from "../../system/time/until-aborted.ts";
import { createChangeListeners } from "../parts/change-listeners.ts";
import { findListed } from "../parts/find-tool.ts";
import { unknownTool } from "../parts/results.ts";
import { runHandler } from "../parts/run-handler.ts";
import { runWhileOpen } from "../parts/run-while-open.ts";
import { CONNECTED, type Source, type SourceStatus } from "../source.ts";
import {
  type ImportModule,
  importModule,
  type LoadedModuleTool,
  loadModuleTool,
  type ModuleToolSpec,
  warning,
} from "./load-module-tool.ts";

export interface ModuleSourceOptions {
  readonly tools: readonly ModuleToolSpec[];
  /**
   * Milliseconds that one module may take to load; 10,000 if absent. A module that is late still appears once it has
   * loaded.
   */
  readonly loadTimeout?: number;
  readonly clock?: Clock;
  readonly load?: ImportModule;
  /** Why a module must not be loaded now, as a clause that follows "because"; absent: all may be loaded. */
  readonly refuses?: (tool: ModuleToolSpec) => string | null;
}

export interface ModuleSource extends Source {
  /** What is wrong with single entries; complete once `list` has resolved. */
  readonly notices: readonly Notice[];
}

interface Loaded {
  readonly tool: Tool | null;
  readonly defined: DefinedTool | null;
  readonly notices: readonly Notice[];
}

const LOAD_TIMEOUT = 10_000;

/** The tools that a configuration takes from modules. Nothing is loaded before the first `list` (N4). */
export function createModuleSource(options: ModuleSourceOptions): ModuleSource {
  const { tools: specs, loadTimeout = LOAD_TIMEOUT, clock = SYSTEM_CLOCK, load = importModule } = options;
  const { refuses = () => null } = options;
  const listeners = createChangeListeners();
  const stop = new AbortController();
  const loaded: (Loaded | null)[] = specs.map(() => null);
  let tools: readonly Tool[] = [];
  let loading: Promise<unknown> | null = null;

  const put = (at: number, entry: Loaded): void => {
    if (stop.signal.aborted) return;
    loaded[at] = entry;
    tools = loaded.flatMap((each) => each?.tool ?? []);
  };
  /** Settles when the tool is loaded or has failed, and at the latest when its time is up. */
  const loadOne = (spec: ModuleToolSpec, at: number): Promise<void> =>
    new Promise((resolve) => {
      let late = false;
      const timer = clock.setTimeout(() => {
        late = true;
        put(at, { tool: null, defined: null, notices: [slow(spec, loadTimeout)] });
        resolve();
      }, loadTimeout);
      onAbort(stop.signal, () => {
        clock.clearTimeout(timer);
        resolve();
      });
      void loadModuleTool(spec, load, refuses(spec)).then((result) => {
        clock.clearTimeout(timer);
        put(at, toLoaded(spec, result));
        resolve();
        if (late && !stop.signal.aborted) listeners.emit();
      });
    });

  const findDefined = (tool: Tool): DefinedTool | null => {
    const found = findListed(tools, tool);
    return found === null ? null : (loaded.find((each) => each?.tool === found)?.defined ?? null);
  };

  return {
    kind: "module",
    name: "module",
    get status() {
      return describe(loaded);
    },
    get notices() {
      return loaded.flatMap((entry) => entry?.notices ?? []);
    },
    async list(signal) {
      if (!stop.signal.aborted) loading ??= Promise.all(specs.map(loadOne));
      if (loading !== null) await untilAborted(loading, signal, () => null);
      return tools;
    },
    coerce: (tool, args) => findDefined(tool)?.coerce?.(args) ?? args,
    run: (tool, args, context) =>
      runWhileOpen(stop.signal, context, (open) => {
        const defined = findDefined(tool);
        return defined === null ? unknownTool(tool.name) : runHandler(defined, tool, args, open);
      }),
    changes: listeners.add,
    async close() {
      stop.abort();
      listeners.clear();
    },
  };
}

/** What is wrong with `use` entries, before anything runs: for `toolcrib doctor`. It loads the modules. */
export async function checkModules(options: ModuleSourceOptions): Promise<readonly Notice[]> {
  const source = createModuleSource(options);
  try {
    await source.list(new AbortController().signal);
    return source.notices;
  } finally {
    await source.close();
  }
}

function toLoaded(spec: ModuleToolSpec, { defined, notices }: LoadedModuleTool): Loaded {
  if (defined === null) return { tool: null, defined, notices };
  const { tool: own } = defined;
  const tool = toTool({
    ...own,
    source: "module",
    group: spec.group ?? own.group ?? null,
    id: spec.id ?? own.id ?? null,
    feature: spec.feature ?? own.feature ?? null,
    featureAt: spec.feature ? spec.origin : null,
    internal: spec.internal ?? own.internal ?? null,
  });
  return { tool, defined, notices };
}

function slow(spec: ModuleToolSpec, timeout: number): Notice {
  const text = `${JSON.stringify(spec.name)} is left out until it comes: ${spec.use} did not load within ${timeout / 1000} s; look for an await at its top level that does not end`;
  return warning(spec, "module.failed", text);
}

function describe(loaded: readonly (Loaded | null)[]): SourceStatus {
  const broken = loaded.filter((entry) => entry !== null && entry.tool === null).length;
  if (broken === 0) return CONNECTED;
  const reason = `${broken} of ${loaded.length} module tools could not be loaded`;
  const state = broken === loaded.length ? "failed" : "connected";
  return { state, reason, next: "To see why, run: toolcrib doctor", stderr: null };
}
