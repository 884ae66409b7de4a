import { AsyncLocalStorage } from "node:async_hooks";
import type { Config } from "../../config/config.ts";
import { homeFolder } from "../../config/layers/home-folder.ts";
import type { Call } from "../../core/call/call.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";
import { isUntrusted, type Tool } from "../../core/tool/tool.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import type { Source } from "../../sources/source.ts";
import type { Emitter } from "../events/emitter.ts";
import { type CallOptions, createExecutor, type ExecuteOptions, type Executor } from "../executor/executor.ts";
import type { Outcome } from "../executor/outcome.ts";
import { DEFAULT_LIMITS } from "../executor/ports.ts";
import { createScheduler } from "../executor/scheduler.ts";
import type { CallPart } from "../executor/stream.ts";
import { createValidator } from "../executor/validator.ts";
import { createCallHooks, type SessionCallHooks } from "../hooks/call-hooks.ts";
import { createHookRunner } from "../hooks/hook-runner.ts";
import { type GrantStore, openGrants } from "../permissions/grant-store.ts";
import type { PermissionHandler } from "../permissions/permission-request.ts";
import { createPermissions } from "../permissions/permissions.ts";
import { isMeantByRule } from "../permissions/rule-condition.ts";
import { createRequest, type Request } from "../requests/request.ts";
import { createAccess } from "./call-access.ts";
import { createRuleSettings } from "./call-rules.ts";
import { insideCalls } from "./inside-calls.ts";
import { notOpen } from "./not-open.ts";
import { createResultSource } from "./result-source.ts";
import { type CallSetting, type Logger, NO_HOOKS, type SessionSetting } from "./setting.ts";
import { createSpill } from "./spill.ts";
import { createStartCheck, tellGrants } from "./stored-calls.ts";
import { isTrustedServer } from "./trusted-server.ts";

/** A result, with what hooks add for the model to read and whether the turn should end. */
export type CallResult = ToolResult & { readonly additionalContext?: readonly string[]; readonly endTurn?: boolean };

/** What a hook makes of a prompt before a model gets it. */
export interface PromptOutcome {
  readonly prompt: string;
  readonly additionalContext: readonly string[];
  /** Why it must not be sent; null when it may. */
  readonly blocked: string | null;
}

/** Everything around the calls of a session. */
export interface SessionCalls {
  call(name: string, args?: unknown, options?: SessionCallOptions): Promise<CallResult>;
  execute(
    request: Request,
    parts: AsyncIterable<CallPart> | Iterable<CallPart>,
    options?: ExecuteOptions,
  ): AsyncGenerator<Outcome, void, void>;
  /** One call of somebody who was shown that request's tools. */
  run(request: Request, call: Call, options?: CallOptions): Promise<Outcome>;
  /** Runs the hooks of a prompt, and those of the session's start before the first one. */
  prompt(text: string): Promise<PromptOutcome>;
  /** Tells hooks of an error, and what they want done about it. */
  failed(error: unknown, recoverable: boolean): Promise<"retry" | "skip" | "abort" | null>;
  /** The model wants to stop: what sends it on, or null. */
  stopping(isAgain: boolean): Promise<string | null>;
  /** Older messages are about to become a summary. */
  compacting(trigger: "auto" | "manual"): Promise<void>;
  /** Somebody is waited for. */
  notify(kind: string, message: string): Promise<void>;
  readonly executor: Executor;
  readonly grants: GrantStore;
  /** How often each hook failed. */
  readonly hookFailures: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export interface SessionCallOptions extends CallOptions {
  /** Made up when left out. */
  readonly id?: string;
}

export interface SessionCallPorts {
  readonly setting: SessionSetting;
  readonly config: () => Config;
  /** Null while the session opens. */
  readonly toolset: () => Toolset | null;
  readonly sourceOf: (tool: Tool) => Source | undefined;
  readonly emit: Emitter["emit"];
  /** A long result was kept in a file; answers whether that source is there to read it. */
  readonly onKept: (path: string, reading: Source) => boolean;
  /** A user's message begins a turn. */
  readonly onPrompt: () => void;
}

export async function createSessionCalls(ports: SessionCallPorts): Promise<SessionCalls> {
  const { setting, config, emit } = ports;
  const surroundings: CallSetting = setting.calls ?? {
    ...NOBODY,
    home: homeFolder(setting.place.env),
    workspace: setting.place.cwd,
  };
  const { home, workspace } = surroundings;
  const mayCall = surroundings.mayCall === true;
  const deciding = mayCall ? insideCalls(setting.id, surroundings) : surroundings;
  const place = { sessionId: setting.id, cwd: workspace ?? setting.place.cwd, env: setting.place.env };
  const { clock, today, newId } = setting.timing;
  const ownGrants = await (surroundings.grants?.() ?? openGrants({ home, env: place.env, workspace }));
  const grants = await tellGrants(ownGrants, setting, emit);
  const runner = createHookRunner({
    ...place,
    commands: () => config().hooks,
    functions: deciding.hooks,
    clock,
    newId,
    emit,
    warn: (notice) => emit("session.warning", notice),
  });
  const toolset = (): Toolset => ports.toolset() ?? notOpen();
  const rules = createRuleSettings({ config, toolset, workspace: place.cwd, home });
  const hooks = createCallHooks({
    ...place,
    runner,
    mode: () => config().permissions.mode.value,
    today,
    isMeantBy: (rule, prepared) => isMeantByRule(rule, prepared, rules()),
  });
  const isTrusted = (tool: Tool): boolean => !isUntrusted(tool) || isTrustedServer(tool, config());
  const permissions = createPermissions({
    sessionId: setting.id,
    rules,
    grants: () => grants,
    handler: () => toldOf(deciding.onPermissionRequest(), setting.logger),
    askHooks: hooks.ask,
    classifier: deciding.classifier,
    hasAskHooks: () => runner.has("permissionRequest"),
    hostTools: () => config().permissions.hostTools,
    plansAreShown: () => surroundings.plansAreShown?.() === true,
    ...(setting.firstAnswer === undefined ? {} : { firstAnswer: setting.firstAnswer }),
    asksAtOnce: surroundings.asksAtOnce === true,
    mayCall,
    isTrusted,
    confinement: () => surroundings.confinement?.() ?? null,
    emit,
    clock,
    today,
    newId,
  });
  const limits = { ...DEFAULT_LIMITS, ...surroundings.limits };
  const spill = createSpill({ newId, workspace, sessionId: setting.id, onKept: (path) => ports.onKept(path, reading) });
  const reading = createResultSource(spill, limits.resultBytes);
  const executor = createExecutor({
    sessionId: setting.id,
    clock,
    newId,
    validator: createValidator(),
    scheduler: createScheduler(),
    hooks,
    permissions,
    accessOf: createAccess(place.cwd),
    isTrusted,
    emit,
    spill,
    ...(setting.recorder === undefined ? {} : { beforeRun: createStartCheck(setting.recorder) }),
    limits,
    onError: setting.logger.error,
  });
  const life = createLife(hooks, () => mayCall && typeof deciding.hooks().onSessionStart === "function");
  let direct: { readonly toolset: Toolset; readonly request: Request } | null = null;
  const requestNow = (): Request => {
    const now = toolset();
    if (direct?.toolset !== now) direct = { toolset: now, request: directRequest(toolset, ports.sourceOf) };
    return direct.request;
  };

  return {
    executor,
    grants,
    hookFailures: runner.failures,
    async call(name, args = {}, { id = newId(), ...options } = {}) {
      await life.start();
      const request = requestNow();
      const call = { id, toolName: toWireName(name, toolset()), arguments: args };
      const { result, additionalContext, endTurn } = await executor.call(request, call, options);
      if (setting.recorder) await setting.recorder.stored();
      return {
        ...result,
        ...(additionalContext.length === 0 ? {} : { additionalContext }),
        ...(endTurn ? { endTurn } : {}),
      };
    },
    async *execute(request, parts, options) {
      await life.start();
      for await (const outcome of executor.execute(request, parts, options)) {
        if (setting.recorder) await setting.recorder.stored();
        yield outcome;
      }
    },
    run(request, call, options) {
      const run = (): Promise<Outcome> => executor.call(request, call, options);
      return life.started ? run() : life.start().then(run);
    },
    async prompt(text) {
      ports.onPrompt();
      const context = await life.start();
      const said = await hooks.tell("userPromptSubmitted", { prompt: text });
      const isBlocked = said.decision === "deny" || said.endTurn;
      return {
        prompt: said.updatedPrompt ?? text,
        additionalContext: [...context, ...said.additionalContext],
        blocked: isBlocked ? (said.reason ?? "a hook blocked the prompt") : null,
      };
    },
    async failed(error, recoverable) {
      const text = error instanceof Error ? error.message : String(error);
      return (await hooks.tell("errorOccurred", { error: text, recoverable })).errorHandling;
    },
    async stopping(isAgain) {
      const input = { stopReason: "end_turn", stop_hook_active: isAgain };
      const { decision, reason, endTurn } = await hooks.tell("agentStop", input);
      return decision === "deny" && !endTurn ? (reason ?? "Go on: a hook says that you are not done.") : null;
    },
    async notify(kind, message) {
      await hooks.tell("notification", { notification_type: kind, message });
    },
    async compacting(trigger) {
      await hooks.tell("preCompact", { trigger });
    },
    async close() {
      await executor.close();
      try {
        await life.end();
      } finally {
        runner.close();
        await spill.close();
      }
    },
  };
}

const NOBODY: Omit<CallSetting, "home" | "workspace"> = {
  onPermissionRequest: () => null,
  hooks: () => NO_HOOKS,
  classifier: () => null,
  limits: {},
};

/** A handler that throws is a no; whoever wrote it learns of it, unless it threw because its question was withdrawn. */
function toldOf(handler: PermissionHandler | null, { error: onError }: Logger): PermissionHandler | null {
  if (handler === null) return null;
  return async (request) => {
    try {
      return await handler(request);
    } catch (error) {
      if (!request.signal.aborted) onError(`onPermissionRequest failed for ${request.toolName}`, error);
      throw error;
    }
  };
}

/** The session whose start hooks run: a call that they make cannot wait for their own end. */
const starting = new AsyncLocalStorage<object>();

/** Hooks of the session's start run before its first call or prompt, once; those of its end only if they did. */
function createLife(hooks: SessionCallHooks, mayCall: () => boolean) {
  let started: Promise<readonly string[]> | null = null;
  let told = false;
  const own = {};
  const tell = async () => (await hooks.tell("sessionStart", { source: "startup" })).additionalContext;
  const run = () => (mayCall() ? starting.run(own, tell) : tell());
  return {
    get started() {
      return told;
    },
    /** What the hooks want the model to know, for the first one who asks. */
    async start(): Promise<readonly string[]> {
      if (!told && starting.getStore() === own) return [];
      started ??= run();
      const context = await started;
      const isFirst = !told;
      told = true;
      return isFirst ? context : [];
    },
    async end(): Promise<void> {
      if (started !== null) await hooks.tell("sessionEnd", { reason: "closed" });
    },
  };
}

/** Programs and skills name what they want; that a model would have to search for it first is not their affair (D6). */
function directRequest(toolset: () => Toolset, sourceOf: SessionCallPorts["sourceOf"]): Request {
  const request = createRequest(toolset(), toolset, sourceOf);
  return {
    ...request,
    find(name) {
      const found = request.find(name);
      if (found.kind === "unknown") {
        const meant = request.toolset.scene.resolver.resolve(name);
        return meant.kind === "pending" ? { ...found, server: meant.server } : found;
      }
      if (found.kind !== "deferred") return found;
      const { tool } = found.placement.entry;
      const source = sourceOf(tool);
      return source === undefined ? { kind: "tool_gone" } : { kind: "found", placement: found.placement, tool, source };
    },
  };
}

/** Any name that means one tool; anything else is left for the call to refuse. */
function toWireName(name: string, { scene }: Toolset): string {
  const resolution = scene.resolver.resolve(name);
  if (resolution.kind !== "found" || resolution.meaning.entries.length !== 1) return name;
  return resolution.meaning.entries[0]?.wireName ?? name;
}
