import { randomUUID } from "node:crypto";
import type { HookConfig } from "../../config/config.ts";
import type { HookEvent } from "../../config/file-shape.ts";
import { formatOrigin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import type { Clock } from "../../sources/mcp/clock.ts";
import { buildChildEnv } from "../../system/process/child-env.ts";
import type { Emitter } from "../session/events.ts";
import { type HookRun, runCommandHook } from "./command-hook.ts";
import { isMatched } from "./hook-matcher.ts";
import type { SessionHooks } from "./hook-types.ts";
import { type HookSaid, readOutput, SILENT_HOOK } from "./read-output.ts";

export interface HookPorts {
  readonly sessionId: string;
  /** Where commands run, and what they are told the project is. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly commands: () => ReadonlyMap<HookEvent, readonly HookConfig[]>;
  readonly functions: () => SessionHooks;
  readonly clock: Clock;
  readonly emit: Emitter["emit"];
  readonly warn: (notice: Omit<Notice, "level">) => void;
}

/** One event as hooks see it. */
interface HookOccasion {
  readonly event: HookEvent;
  /** Names that matchers are held against; empty where there is no tool. */
  readonly names: readonly string[];
  readonly toolCallId: string | null;
  /** For functions. */
  readonly input: object;
  /** For commands, in Claude's spelling; the hook decides whose names of tools it knows. */
  readonly wireInput: (hook: HookConfig) => object;
  readonly signal: AbortSignal;
}

export interface HookRunner {
  /** Whether anything would run, so that nobody prepares input for nobody. */
  has(event: HookEvent): boolean;
  /** All matching hooks beside each other, each once; what failed says what that means for the call. */
  run(occasion: HookOccasion): Promise<readonly HookSaid[]>;
  /** How often each hook failed, by its name. */
  readonly failures: ReadonlyMap<string, number>;
}

const DEFAULT_SECONDS = 60;

interface Runnable {
  readonly name: string;
  readonly origin: HookConfig["origin"];
  readonly onFailure: "block" | "continue";
  readonly work: () => Promise<HookRun>;
}

export function createHookRunner(ports: HookPorts): HookRunner {
  const failures = new Map<string, number>();

  const find = (occasion: HookOccasion): readonly Runnable[] => {
    const { event, names, signal } = occasion;
    const matching = (ports.commands().get(event) ?? []).filter(
      ({ matcher }) => names.length === 0 || isMatched(matcher, names),
    );
    const once = new Map(matching.map((hook) => [hook.command, hook]));
    const commands = [...once.values()].map((hook): Runnable => {
      const env = buildChildEnv(ports.env, { CLAUDE_PROJECT_DIR: ports.cwd, TOOLCRIB_PROJECT_DIR: ports.cwd });
      const spec = { command: hook.command, cwd: ports.cwd, env, timeout: (hook.timeout ?? DEFAULT_SECONDS) * 1000 };
      return {
        name: hook.command,
        origin: hook.origin,
        onFailure: hook.onFailure ?? defaultFailure(event),
        work: () => runCommandHook(spec, occasion.wireInput(hook), signal, ports.clock),
      };
    });
    const own = ports.functions()[FUNCTIONS[event]];
    if (own === undefined) return commands;
    const call = own as (input: object, invocation: object) => unknown; // The table ties each event to the function for its input.
    const work = () =>
      runFunction(() => call(occasion.input, { sessionId: ports.sessionId, signal }), signal, ports.clock);
    const name = FUNCTIONS[event];
    return [
      ...commands,
      { name, origin: { kind: "call", call: `hooks.${name}` }, onFailure: defaultFailure(event), work },
    ];
  };

  const runOne = async (hook: Runnable, { event, toolCallId, signal }: HookOccasion): Promise<HookSaid> => {
    const hookId = randomUUID();
    const { name } = hook;
    ports.emit("hook.start", { hookId, event, name, toolCallId });
    const began = ports.clock.now();
    const run = await hook.work();
    const error = run.outcome === "ok" ? null : run.outcome === "blocked" ? run.reason : run.error;
    const duration = ports.clock.now() - began;
    ports.emit("hook.end", { hookId, event, name, toolCallId, outcome: run.outcome, error, duration });
    if (run.outcome === "ok") return withText(run, event);
    if (run.outcome === "blocked") return { ...SILENT_HOOK, decision: "deny", reason: run.reason };
    if (signal.aborted) return SILENT_HOOK;
    const count = (failures.get(name) ?? 0) + 1;
    failures.set(name, count);
    if (count === 1) {
      const meaning = hook.onFailure === "block" ? "calls are blocked while it does" : "calls go on without it";
      const text = `the ${event} hook ${JSON.stringify(name)} (${formatOrigin(hook.origin)}) ${FAILED[run.outcome]}: ${run.error}; ${meaning}`;
      ports.warn({ code: "hook.failed", text, names: [name], origin: hook.origin });
    }
    if (hook.onFailure === "continue") return SILENT_HOOK;
    // What the hook wrote on its way down is for people.
    return { ...SILENT_HOOK, decision: "deny", reason: `a hook that has to agree ${FAILED[run.outcome]}` };
  };

  return {
    failures,
    has: (event) => (ports.commands().get(event)?.length ?? 0) > 0 || ports.functions()[FUNCTIONS[event]] !== undefined,
    run: (occasion) => Promise.all(find(occasion).map((hook) => runOne(hook, occasion))),
  };
}

const FAILED = { failed: "failed", timeout: "did not answer in time", "not-started": "could not be started" } as const;

const FUNCTIONS = {
  preToolUse: "onPreToolUse",
  postToolUse: "onPostToolUse",
  postToolUseFailure: "onPostToolUseFailure",
  permissionRequest: "onPermissionRequest",
  sessionStart: "onSessionStart",
  sessionEnd: "onSessionEnd",
  userPromptSubmitted: "onUserPromptSubmitted",
  errorOccurred: "onErrorOccurred",
} as const satisfies Record<HookEvent, keyof SessionHooks>;

/** A guard that falls over must not leave the door open. */
function defaultFailure(event: HookEvent): "block" | "continue" {
  return event === "preToolUse" ? "block" : "continue";
}

/** Plain text of a hook is context where there is a prompt to add it to. */
function withText({ said, text }: Extract<HookRun, { outcome: "ok" }>, event: HookEvent): HookSaid {
  const isContext = text !== "" && (event === "sessionStart" || event === "userPromptSubmitted");
  return isContext ? { ...said, additionalContext: [...said.additionalContext, text.slice(0, 10_000)] } : said;
}

async function runFunction(call: () => unknown, signal: AbortSignal, clock: Clock): Promise<HookRun> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(
      () => resolve({ outcome: "timeout", error: `no answer within ${DEFAULT_SECONDS} s` }),
      DEFAULT_SECONDS * 1000,
    );
    const onAbort = (): void => resolve({ outcome: "failed", error: "the call was cancelled" });
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const work = async (): Promise<HookRun> => {
      const said = readOutput(await call());
      return said === null
        ? { outcome: "failed", error: "its answer cannot be understood" }
        : { outcome: "ok", said, text: "" };
    };
    void work()
      .catch(
        (error: unknown): HookRun => ({
          outcome: "failed",
          error: error instanceof Error ? error.message : String(error),
        }),
      )
      .then(resolve)
      .finally(() => {
        clock.clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      });
  });
}
