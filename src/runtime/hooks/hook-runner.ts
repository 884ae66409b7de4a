import type { HookConfig } from "../../config/config.ts";
import { REVIEW } from "../../config/host-gate.ts";
import type { HookEvent } from "../../config/shape/hook-shape.ts";
import type { Cancelling } from "../../core/call/cancelling.ts";
import { type Eventual, known, runStage, type Stage } from "../../core/call/eventual.ts";
import { formatOrigin, type Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { createSlots, type Slots } from "../../system/slots.ts";
import type { Emitter } from "../events/emitter.ts";
import { createCancellation } from "../executor/cancellation.ts";
import type { HookRun } from "./command-hook.ts";
import { type CommandPlace, toCommandRun } from "./command-run.ts";
import { runFunction } from "./function-hook.ts";
import { isMatched } from "./hook-matcher.ts";
import { HOOK_FUNCTIONS, type SessionHooks } from "./hook-types.ts";
import { type HookVerdict, SILENT_HOOK } from "./read-output.ts";

export interface HookPorts extends CommandPlace {
  readonly sessionId: string;
  readonly commands: () => ReadonlyMap<HookEvent, readonly HookConfig[]>;
  readonly functions: () => SessionHooks;
  readonly newId: () => string;
  readonly emit: Emitter["emit"];
  readonly warn: (notice: Omit<Notice, "level">) => void;
  /** Why the command of a hook must not be run now, as a clause that follows "because"; absent: all may run. */
  readonly refuses?: (hook: HookConfig) => string | null;
  /** Whether an origin belongs to managed policy; none does if absent. */
  readonly isManaged?: (origin: Origin) => boolean;
  /** Slots for processes; those of this program if absent. */
  readonly slots?: Slots;
}

/** Whose hooks: managed policy's, or those of everybody else. */
export type HookSide = "policy" | "others";

/** One event, from the hooks' point of view. */
interface HookOccasion {
  readonly event: HookEvent;
  /** Only these; all if absent. */
  readonly side?: HookSide;
  /** Names that matchers are compared with; empty if there is nothing to match. */
  readonly names: () => readonly string[];
  /** Whether a permission rule matches the call. */
  readonly isMeantBy: (rule: string) => Promise<boolean>;
  readonly toolCallId: string | null;
  /** For functions. */
  readonly input: object;
  /** For commands, in the format of the product that the hook is written for. */
  readonly wireInput: (hook: HookConfig) => object;
  readonly cancelling: Cancelling;
}

export interface HookRunner {
  /** Whether anything would run, so that no input is prepared for nobody. */
  has(event: HookEvent, side?: HookSide): boolean;
  /** Runs all matching hooks in parallel, each once; a failed hook says what that means for the call. */
  run(occasion: HookOccasion): Eventual<readonly HookVerdict[]>;
  /** How often each hook failed, by its name. */
  readonly failures: ReadonlyMap<string, number>;
  /** Ends asynchronous hooks. Twice is fine. */
  close(): void;
}

/** Shared by the hooks of all sessions: fifty clients must not become five hundred processes. */
const PROCESSES = createSlots(10);

interface Runnable {
  readonly name: string;
  readonly origin: HookConfig["origin"];
  readonly onFailure: "block" | "continue";
  readonly isAsync: boolean;
  /** Null: it takes no process. */
  readonly slots: Slots | null;
  readonly work: (cancelling: Cancelling) => Eventual<HookRun>;
}

/** What all hooks of a session share. */
interface Running {
  readonly ports: HookPorts;
  readonly failures: Map<string, number>;
  readonly nextId: () => string;
}

export function createHookRunner(ports: HookPorts): HookRunner {
  const failures = new Map<string, number>();
  const background = createCancellation();
  const prefix = ports.newId();
  let runs = 0;
  const nextId = (): string => {
    runs += 1;
    return `${prefix}-${runs}`;
  };
  const running: Running = { ports, failures, nextId };

  const runAll = async (configured: readonly HookConfig[], own: Runnable | null, occasion: HookOccasion) => {
    const hooks = [...(await findCommands(configured, occasion, ports)), ...(own === null ? [] : [own])];
    for (const hook of hooks) if (hook.isAsync) void runInSlot(hook, occasion, background, running);
    const awaited = hooks.filter(({ isAsync }) => !isAsync);
    return Promise.all(awaited.map((hook) => runInSlot(hook, occasion, occasion.cancelling, running)));
  };
  const commandsOf = (event: HookEvent, side?: HookSide): readonly HookConfig[] => {
    const all = ports.commands().get(event) ?? [];
    const isManaged = ({ origin }: HookConfig) => ports.isManaged?.(origin) === true;
    return side === undefined ? all : all.filter((hook) => isManaged(hook) === (side === "policy"));
  };
  const run = function* (occasion: HookOccasion): Stage<readonly HookVerdict[]> {
    const configured = commandsOf(occasion.event, occasion.side);
    const own = occasion.side === "policy" ? null : findFunction(occasion, ports);
    // Most programs have no commands, and every call passes here.
    if (configured.length > 0) return yield* known(runAll(configured, own, occasion));
    return own === null ? [] : [yield* runNow(own, occasion, occasion.cancelling, running)];
  };

  return {
    failures,
    has: (event, side) =>
      commandsOf(event, side).length > 0 ||
      (side !== "policy" && ports.functions()[HOOK_FUNCTIONS[event]] !== undefined),
    run: (occasion) => runStage(run(occasion)),
    close: () => background.cancel("shutdown"),
  };
}

async function findCommands(
  configured: readonly HookConfig[],
  occasion: HookOccasion,
  ports: HookPorts,
): Promise<readonly Runnable[]> {
  const { event } = occasion;
  const names = occasion.names();
  const matching: HookConfig[] = [];
  for (const hook of configured) {
    if (names.length > 0 && !isMatched(hook.matcher, names, hook.dialect)) continue;
    if (hook.when === null || (await occasion.isMeantBy(hook.when))) matching.push(hook);
  }
  const once = new Map(matching.map((hook) => [JSON.stringify(toRun(hook)), hook]));
  return [...once.values()].map((hook): Runnable => {
    if (hook.refusal !== undefined) return toRefusing(hook, hook.refusal);
    const run = toCommandRun(hook, event, () => occasion.wireInput(hook), ports);
    return {
      name: [hook.command, ...(hook.args ?? [])].join(" "),
      origin: hook.origin,
      onFailure: hook.isAsync ? "continue" : (hook.onFailure ?? defaultFailure(event)),
      isAsync: hook.isAsync,
      slots: ports.slots ?? PROCESSES,
      // Checked when its turn comes: the call itself may have written the script.
      work: ({ signal }) => toRefusal(hook, event, ports) ?? run(signal),
    };
  });
}

/** Everything that decides what a hook does; two that agree in this are one. */
function toRun({ command, args, cwd, env, isAsync, onFailure, refusal }: HookConfig): readonly unknown[] {
  return [command, args, cwd, [...env], isAsync, onFailure, refusal];
}

function findFunction({ event, input }: HookOccasion, ports: HookPorts): Runnable | null {
  const name = HOOK_FUNCTIONS[event];
  const own = ports.functions()[name];
  if (own === undefined) return null;
  const call = own as (input: object, invocation: object) => unknown; // The table ties each event to the function for its input.
  return {
    name,
    origin: { kind: "call", call: `hooks.${name}` },
    onFailure: defaultFailure(event),
    isAsync: false,
    slots: null,
    work: (cancelling) =>
      runFunction(() => call(input, new Invocation(ports.sessionId, cancelling)), cancelling, ports.clock),
  };
}

/** A hook's time starts when the hook does, not while it waits for a slot. */
async function runInSlot(hook: Runnable, occasion: HookOccasion, cancelling: Cancelling, running: Running) {
  const leave = hook.slots === null ? () => {} : await hook.slots.take(cancelling.signal);
  if (leave === null) return SILENT_HOOK;
  try {
    return await runStage(runNow(hook, occasion, cancelling, running));
  } finally {
    leave();
  }
}

function* runNow(
  hook: Runnable,
  { event, toolCallId }: HookOccasion,
  cancelling: Cancelling,
  { ports, failures, nextId }: Running,
): Stage<HookVerdict> {
  const { name } = hook;
  const hookId = nextId();
  ports.emit("hook.start", { hookId, event, name, toolCallId });
  const began = ports.clock.now();
  const run = yield* known(hook.work(cancelling));
  const isFailure = run.outcome !== "ok" && run.outcome !== "blocked" && !cancelling.isCancelled;
  const count = (failures.get(name) ?? 0) + (isFailure ? 1 : 0);
  if (isFailure) failures.set(name, count);
  const error = run.outcome === "ok" ? null : run.outcome === "blocked" ? run.reason : run.error;
  const duration = ports.clock.now() - began;
  ports.emit("hook.end", { hookId, event, name, toolCallId, outcome: run.outcome, error, duration, failures: count });
  if (run.outcome === "ok") return emitMessages(withText(run, event), hook, ports);
  if (run.outcome === "blocked") return { ...SILENT_HOOK, decision: "deny", reason: run.reason, endTurn: run.endTurn };
  if (!isFailure) return SILENT_HOOK;
  if (count === 1) {
    const meaning = hook.onFailure === "block" ? "calls are blocked while it does" : "calls go on without it";
    const text = `the ${event} hook ${JSON.stringify(name)} (${formatOrigin(hook.origin)}) ${FAILED[run.outcome]}: ${run.error}; ${meaning}`;
    ports.warn({ code: "hook.failed", text, names: [name], origin: hook.origin });
  }
  if (hook.onFailure === "continue") return SILENT_HOOK;
  // What the hook wrote before it failed is for people.
  return { ...SILENT_HOOK, decision: "deny", reason: `a hook that has to agree ${FAILED[run.outcome]}` };
}

/** A guard that cannot be run refuses what it covers; any other hook is skipped, with a report. */
function toRefusal(hook: HookConfig, event: HookEvent, { refuses }: HookPorts): HookRun | null {
  const why = refuses?.(hook) ?? null;
  if (why === null) return null;
  const isGuard = !hook.isAsync && (event === "preToolUse" || event === "permissionRequest");
  if (!isGuard) return { outcome: "not-started", error: `${why}. ${REVIEW}` };
  const reason = `the hook ${hook.command} (${formatOrigin(hook.origin)}) is not run, because ${why}, and the calls it covers are denied until a person decides: toolcrib trust`;
  return { outcome: "blocked", reason, endTurn: false };
}

/** Replaces a missing hook until somebody decides. */
function toRefusing({ command, origin }: HookConfig, reason: string): Runnable {
  const work = () => ({ outcome: "blocked", reason, endTurn: false }) as const;
  return { name: command, origin, onFailure: "block", isAsync: false, slots: null, work };
}

/** What a function gets in addition to its input; few use the signal. */
class Invocation {
  readonly sessionId: string;
  readonly #cancelling: Cancelling;

  constructor(sessionId: string, cancelling: Cancelling) {
    this.sessionId = sessionId;
    this.#cancelling = cancelling;
  }

  get signal(): AbortSignal {
    return this.#cancelling.signal;
  }
}

const FAILED = { failed: "failed", timeout: "did not answer in time", "not-started": "could not be started" } as const;

/** A guard that fails must not leave the door open. */
function defaultFailure(event: HookEvent): "block" | "continue" {
  return event === "preToolUse" ? "block" : "continue";
}

/** Plain text of a hook is context if there is a prompt to add it to. */
function withText({ verdict, text }: Extract<HookRun, { outcome: "ok" }>, event: HookEvent): HookVerdict {
  const isContext = text !== "" && (event === "sessionStart" || event === "userPromptSubmitted");
  return isContext ? { ...verdict, additionalContext: [...verdict.additionalContext, text.slice(0, 10_000)] } : verdict;
}

/** A hook's messages to people are emitted, and go no further. */
function emitMessages(verdict: HookVerdict, { name, origin }: Runnable, { emit }: HookPorts): HookVerdict {
  for (const text of verdict.messages) emit("session.info", { code: "hook.message", text, names: [name], origin });
  return verdict;
}
