import type { Config } from "../../../config/config.ts";
import { createHostGate } from "../../../config/host-gate.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { isManaged } from "../../../config/managed.ts";
import { hookProgram } from "../../../config/trust/host-programs.ts";
import type { Origin } from "../../../core/codes/origin.ts";
import { isUntrusted, type Tool } from "../../../core/tool/tool.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import type { Source } from "../../../sources/source.ts";
import type { Logger } from "../../../system/logger.ts";
import type { Emitter } from "../../events/emitter.ts";
import { createExecutor, type Executor } from "../../executor/executor.ts";
import { DEFAULT_LIMITS } from "../../executor/executor-limits.ts";
import type { CallPermissions } from "../../executor/ports.ts";
import { createScheduler } from "../../executor/scheduler.ts";
import { createValidator } from "../../executor/validator.ts";
import { createCallHooks, type SessionCallHooks } from "../../hooks/call-hooks.ts";
import { createHookRunner, type HookRunner } from "../../hooks/hook-runner.ts";
import { withStandIn } from "../../permissions/classifier.ts";
import { type GrantStore, openGrants } from "../../permissions/grant-store.ts";
import type { PermissionHandler } from "../../permissions/permission-request.ts";
import { createPermissions } from "../../permissions/permissions.ts";
import { isMeantByRule } from "../../permissions/rule-condition.ts";
import { notOpen } from "../sources/not-open.ts";
import { isTrustedServer } from "../sources/trusted-server.ts";
import { createAccess } from "./call-access.ts";
import { createRuleSettings } from "./call-rules.ts";
import { type CallSetting, NO_HOOKS, type SessionCallSetting } from "./call-setting.ts";
import { insideCalls } from "./inside-calls.ts";
import { createModelClassifier } from "./model-classifier.ts";
import { createResultSource } from "./result-source.ts";
import { createSpill, type SessionSpill } from "./spill.ts";
import { createStartCheck, createStoredResults, tellGrants } from "./stored-calls.ts";

export interface SessionCallPorts {
  readonly setting: SessionCallSetting;
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

/** What runs the calls of a session, put together. */
export interface CallParts {
  readonly executor: Executor;
  readonly grants: GrantStore;
  readonly hooks: SessionCallHooks;
  readonly runner: HookRunner;
  readonly spill: SessionSpill;
  readonly toolset: () => Toolset;
  /** Hooks of the session's start may make calls. */
  readonly startMayCall: () => boolean;
}

/** What every part needs to know. */
interface Common extends Pick<SessionCallSetting["timing"], "clock" | "today" | "newId"> {
  readonly sessionId: string;
  readonly cwd: string;
  readonly env: SessionCallSetting["place"]["env"];
  readonly emit: Emitter["emit"];
}

export async function createCallParts(ports: SessionCallPorts): Promise<CallParts> {
  const { setting, config, emit } = ports;
  const { env, cwd } = setting.place;
  const calls: CallSetting = setting.calls ?? { ...NOBODY, home: homeFolder(env), workspace: cwd };
  const { home, workspace } = calls;
  const mayCall = calls.mayCall === true;
  const deciding = mayCall ? insideCalls(setting.id, calls) : calls;
  const common: Common = { ...setting.timing, sessionId: setting.id, cwd: workspace ?? cwd, env, emit };
  const ownGrants = await (calls.grants?.() ?? openGrants({ home, env, workspace }));
  const grants = await tellGrants(ownGrants, setting, emit);
  const toolset = (): Toolset => ports.toolset() ?? notOpen();
  const rules = createRuleSettings({ config, toolset, workspace: common.cwd, home, path: env.PATH ?? "" });
  const warn: Parameters<typeof createHookRunner>[0]["warn"] = (notice) => emit("session.warning", notice);
  const place = { workspace: common.cwd, home };
  const ofPolicy = (origin: Origin) => isManaged(config(), origin);
  const runner = createHookRunner({
    ...common,
    commands: () => config().hooks,
    functions: deciding.hooks,
    refuses: (hook) => createHostGate(config(), place).refuses(hookProgram(hook, place)),
    warn,
    isManaged: ofPolicy,
  });
  const hooks = createCallHooks({
    ...common,
    agentId: calls.agentId ?? null,
    runner,
    mode: () => config().permissions.mode.value,
    isMeantBy: (rule, prepared) => isMeantByRule(rule, prepared, rules()),
  });
  const isTrusted = (tool: Tool): boolean => !isUntrusted(tool) || isTrustedServer(tool, config());
  const models = () => ({ env, cwd, ...calls.models?.() });
  const shipped = createModelClassifier({ ...common, config, models });
  const permissions = createPermissions({
    ...common,
    rules,
    grants: () => grants,
    handler: () => toldOf(deciding.onPermissionRequest(), setting.logger),
    askHooks: hooks.ask,
    classifier: () => withStandIn(deciding.classifier() ?? shipped(), calls.standsIn?.() ?? null),
    hasAskHooks: () => runner.has("permissionRequest"),
    isManaged: ofPolicy,
    hostTools: () => config().permissions.hostTools,
    plansAreShown: () => calls.plansAreShown?.() === true,
    stored: setting.questions,
    asksAtOnce: calls.asksAtOnce === true,
    mayCall,
    isTrusted,
    confinement: () => calls.confinement?.() ?? null,
  });
  const { executor, spill } = createRunning(ports, calls, common, { hooks, permissions, isTrusted });
  const startMayCall = () => mayCall && typeof deciding.hooks().onSessionStart === "function";
  return { executor, grants, hooks, runner, spill, toolset, startMayCall };
}

function createRunning(
  { setting, onKept }: SessionCallPorts,
  calls: CallSetting,
  common: Common,
  deciding: {
    readonly hooks: SessionCallHooks;
    readonly permissions: CallPermissions;
    readonly isTrusted: (tool: Tool) => boolean;
  },
): Pick<CallParts, "executor" | "spill"> {
  const { newId, sessionId } = common;
  const limits = { ...DEFAULT_LIMITS, ...calls.limits };
  const spill = createSpill({
    ...{ newId, workspace: calls.workspace, sessionId },
    stored: createStoredResults(setting, common.emit),
    onKept: (path) => onKept(path, reading),
  });
  const reading = createResultSource(spill, limits.resultBytes);
  if ((setting.results?.earlier.size ?? 0) > 0) onKept("", reading);
  const executor = createExecutor({
    ...common,
    ...deciding,
    validator: createValidator(),
    scheduler: createScheduler(undefined, calls.keyring),
    accessOf: createAccess(common.cwd),
    spill,
    hooksFirst: calls.hooksFirst === true,
    ...(calls.storeLong === undefined ? {} : { storeLong: calls.storeLong }),
    beforeRun: createStartCheck(setting.recorder, calls.beforeRun),
    limits,
    onError: setting.logger.error,
  });
  return { executor, spill };
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
