import { fromThrown, type ToolResult, toToolResult } from "../../core/call/tool-result.ts";
import type { Owner, Tool } from "../../core/tool/tool.ts";
import { spawnProcess } from "../../system/process/spawn-process.ts";
import type { RpcAnswer } from "../../system/rpc/peer.ts";
import { BACKGROUND } from "../../system/time/background.ts";
import { type Clock, SYSTEM_CLOCK, type Timer } from "../../system/time/clock.ts";
import { createRefreshPace } from "../../system/time/refresh-pace.ts";
import { createChangeListeners } from "../parts/change-listeners.ts";
import { findListed } from "../parts/find-tool.ts";
import { keepTools } from "../parts/keep-tools.ts";
import { PROGRAM_LIMITS, type ProgramLimits } from "../parts/limits.ts";
import { readDefinition } from "../parts/read-definition.ts";
import { CANCELLED, failure, unknownTool } from "../parts/results.ts";
import { runWhileOpen } from "../parts/run-while-open.ts";
import { createSupervisor } from "../parts/supervisor.ts";
import { IN_PROCESS, type Source, toStatus } from "../source.ts";
import {
  type ExtensionConnection,
  type OpenExtensionOptions,
  openExtension,
  type Registered,
} from "./open-extension.ts";

type Needed = Pick<OpenExtensionOptions, "extension" | "sessionId" | "cwd" | "env" | "wire" | "refuses">;

export interface ExtensionSourceOptions
  extends Needed,
    Partial<Pick<OpenExtensionOptions, "version" | "clock" | "spawn" | "onLog">> {
  readonly limits?: Partial<ProgramLimits>;
  /** From 0 to below 1, for jitter. */
  readonly random?: () => number;
}

export interface ExtensionSource extends Source {
  /** Restarts the process at once. */
  restart(): Promise<void>;
}

/**
 * One extension as a source of external tools. It starts by itself, without anybody waiting for it, and runs until
 * `close`. Create one only in a trusted workspace: it runs a program.
 */
export function createExtensionSource(options: ExtensionSourceOptions): ExtensionSource {
  const { extension, clock = SYSTEM_CLOCK } = options;
  const { name } = extension;
  const limits = { ...PROGRAM_LIMITS, ...options.limits };
  const listeners = createChangeListeners();
  const stop = new AbortController();
  const registered = createRegisteredTools({ kind: "extension", name }, limits, clock, listeners.emit);

  const supervisor = createSupervisor<ExtensionConnection>({
    name,
    limits,
    clock,
    random: options.random ?? Math.random,
    initial: toStatus("starting", null),
    open: (signal, note) => {
      registered.restart();
      const usual = { version: "0", spawn: spawnProcess, onLog: () => {} };
      return openExtension({ ...usual, ...options, limits, clock, onTools: registered.register }, signal, note);
    },
    hasList: () => registered.isKnown,
    onConnected: () => {},
    onChange: listeners.emit,
  });
  supervisor.start();

  return {
    kind: "external",
    manner: { ...IN_PROCESS, isAnsweredOutside: true },
    name,
    get status() {
      return supervisor.status;
    },
    async list(signal) {
      if (!registered.isKnown) await supervisor.settled(signal);
      return registered.tools;
    },
    run: (tool, args, context) =>
      runWhileOpen(stop.signal, context, async (open) => {
        const found = findListed(registered.tools, tool);
        if (found === null) return unknownTool(tool.name);
        const connection = await supervisor.ready(open.signal).catch(() => null);
        if (open.signal.aborted) return CANCELLED;
        if (connection !== null) return toResult(await connection.call(found.name, args, open), name);
        return failure(`The extension "${name}" ${supervisor.status.reason ?? "is not connected"}.`);
      }),
    changes: listeners.add,
    restart: () => supervisor.restart(),
    async close() {
      stop.abort();
      listeners.clear();
      registered.close();
      await supervisor.close();
    },
  };
}

/** The tools of an extension. Many lists within a short time become few changes (C5). */
interface RegisteredTools {
  readonly tools: readonly Tool[];
  /** Whether it has ever registered any. */
  readonly isKnown: boolean;
  register(given: readonly unknown[]): Registered;
  /** A new process has not registered any tools yet. */
  restart(): void;
  close(): void;
}

function createRegisteredTools(
  owner: Owner,
  { refreshInterval }: ProgramLimits,
  clock: Clock,
  onChange: () => void,
): RegisteredTools {
  const pace = createRefreshPace(refreshInterval);
  let tools: readonly Tool[] = [];
  let next: readonly Tool[] | null = null;
  let isKnown = false;
  let isStarting = true;
  let isClosed = false;
  let timer: Timer | null = null;

  const publish = (): void => {
    timer = null;
    const spent = BACKGROUND.spent;
    pace.start(clock.now());
    const before = tools;
    tools = BACKGROUND.now(() => keepTools(before, next ?? before));
    next = null;
    isKnown = true;
    if (tools !== before) onChange();
    void BACKGROUND.followed().then(() => schedule(pace.finish(clock.now(), BACKGROUND.spent - spent)));
  };
  const schedule = (wait: number | null): void => {
    if (wait !== null && !isClosed) timer = clock.setTimeout(publish, wait);
  };
  return {
    get tools() {
      return tools;
    },
    get isKnown() {
      return isKnown;
    },
    register(given) {
      const read = given.map((entry) => readDefinition(entry, owner));
      next = read.filter((tool) => tool !== null);
      if (!isStarting) schedule(pace.announce(clock.now()));
      else {
        // The first tools of a process are part of its start, and must be available at once.
        isStarting = false;
        if (timer !== null) clock.clearTimeout(timer);
        publish();
      }
      return {
        registered: next?.length ?? tools.length,
        skipped: read.flatMap((tool, at) => (tool === null ? [at] : [])),
      };
    },
    restart() {
      isStarting = true;
    },
    close() {
      isClosed = true;
      if (timer !== null) clock.clearTimeout(timer);
    },
  };
}

function toResult(answer: RpcAnswer, name: string): ToolResult {
  switch (answer.kind) {
    case "result":
      return toToolResult(answer.value);
    case "error":
      return fromThrown(new Error(answer.message));
    case "too-large":
      return failure("The tool's result is larger than it may be.");
    case "cancelled":
      return CANCELLED;
    case "lost":
      return failure(`The extension "${name}" went away during the call; whether the call had an effect is unknown.`);
  }
}
