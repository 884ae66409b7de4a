import type { Config } from "../../../config/config.ts";
import { createHostGate } from "../../../config/host-gate.ts";
import { isManaged } from "../../../config/managed.ts";
import { hookProgram } from "../../../config/trust/host-programs.ts";
import type { Eventual } from "../../../core/call/eventual.ts";
import type { Origin } from "../../../core/codes/origin.ts";
import type { Confinement } from "../../../core/rules/paths.ts";
import { isUntrusted, type Tool } from "../../../core/tool/tool.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import type { Source } from "../../../sources/source.ts";
import type { Logger } from "../../../system/logger.ts";
import type { Timing } from "../../../system/surroundings.ts";
import type { Emitter } from "../../events/emitter.ts";
import { createEarlyEvents, type EarlyEvents } from "../../executor/early-events.ts";
import { createExecutor, type Executor } from "../../executor/executor.ts";
import { DEFAULT_LIMITS } from "../../executor/executor-limits.ts";
import type { CallFilters, CallPermissions } from "../../executor/ports.ts";
import { createScheduler } from "../../executor/scheduler.ts";
import { createValidator, type Validator } from "../../executor/validator.ts";
import { createCallFilters } from "../../filters/call-filters.ts";
import { createCallHooks, type SessionCallHooks } from "../../hooks/call-hooks.ts";
import { createHookRunner, type HookRunner } from "../../hooks/hook-runner.ts";
import type { SessionHooks } from "../../hooks/hook-types.ts";
import { hooksOf } from "../../hooks/hooks-of.ts";
import { toModelPlace } from "../../models/model-place.ts";
import { withStandIn } from "../../permissions/classifier.ts";
import { type GrantStore, openGrants } from "../../permissions/grant-store.ts";
import type { PermissionHandler } from "../../permissions/permission-request.ts";
import { createPermissions } from "../../permissions/permissions.ts";
import { isMeantByRule } from "../../permissions/rule-condition.ts";
import { isTrustedServer } from "../sources/trusted-server.ts";
import { createAccess } from "./call-access.ts";
import { createGrounds } from "./call-grounds.ts";
import { createRuleSettings } from "./call-rules.ts";
import type { CallSetting } from "./call-setting.ts";
import { type Deciding, insideCalls } from "./inside-calls.ts";
import { createModelClassifier } from "./model-classifier.ts";
import { createResultSource } from "./result-source.ts";
import { createSpill, type SessionSpill } from "./spill.ts";
import { createStartCheck, createStoredResults, tellGrants } from "./stored-calls.ts";

export interface SessionCallPorts {
  readonly setting: CallSetting;
  readonly config: () => Config;
  readonly toolset: () => Toolset;
  readonly sourceOf: (tool: Tool) => Source | undefined;
  /** The sandbox in which our own tools run commands, as it is now; null without one. */
  readonly confinement: () => Eventual<Confinement | null>;
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
interface Common extends Timing {
  readonly sessionId: string;
  readonly cwd: string;
  readonly env: CallSetting["env"];
  readonly emit: Emitter["emit"];
}

export async function createCallParts(ports: SessionCallPorts): Promise<CallParts> {
  const { setting, config } = ports;
  const { cwd, home, env, workspace, journal } = setting;
  const mayCall = setting.mayCall === true;
  const deciding = mayCall ? insideCalls(setting.id, toDeciding(setting)) : toDeciding(setting);
  const early = createEarlyEvents(ports.emit);
  const { emit } = early;
  const common: Common = { ...setting.timing, sessionId: setting.id, cwd: workspace ?? cwd, env, emit };
  const ownGrants = await (setting.grants?.() ?? openGrants({ home, env, workspace }));
  const grants = await tellGrants(ownGrants, journal, emit);
  const { toolset } = ports;
  const rules = createRuleSettings({
    ...{ config, toolset, workspace: common.cwd, home, path: env.PATH ?? "" },
    ...{ functions: setting.hooks, classifier: setting.classifier },
  });
  const warn: Parameters<typeof createHookRunner>[0]["warn"] = (notice) => emit("session.warning", notice);
  const place = { workspace: common.cwd, home };
  const ofPolicy = (origin: Origin) => isManaged(config(), origin);
  const runner = createHookRunner({
    ...common,
    commands: () => hooksOf(config()),
    functions: deciding.hooks,
    refuses: (hook) => createHostGate(config(), place).refuses(hookProgram(hook, place)),
    warn,
    isManaged: ofPolicy,
  });
  const hooks = createCallHooks({
    ...common,
    agentId: setting.agentId ?? null,
    runner,
    mode: () => config().permissions.mode.value,
    isMeantBy: (rule, prepared) => isMeantByRule(rule, prepared, rules()),
  });
  const isTrusted = (tool: Tool): boolean => !isUntrusted(tool) || isTrustedServer(tool, config());
  const models = () => toModelPlace({ env, cwd }, config(), setting.models?.());
  const shipped = createModelClassifier({ ...common, config, models, limitModel: setting.limitModel });
  const permissions = createPermissions({
    ...common,
    rules,
    grounds: createGrounds((...asked) => rules().means(...asked)),
    approvers: setting.approvers,
    grants: () => grants,
    handler: () => toldOf(deciding.onPermissionRequest(), setting.logger),
    askHooks: hooks.ask,
    classifier: () => withStandIn(deciding.classifier() ?? shipped(), setting.standsIn?.() ?? null),
    hasAskHooks: () => runner.has("permissionRequest"),
    isManaged: ofPolicy,
    hostTools: () => config().permissions.hostTools,
    plansAreShown: () => (setting.approvePlan ?? null) !== null,
    stored: journal?.questions,
    asksAtOnce: setting.asksAtOnce === true,
    mayCall,
    isTrusted,
    confinement: ports.confinement,
  });
  const validator = setting.validator ?? createValidator();
  const filters = createCallFilters({
    ...common,
    filters: () => config().filters,
    means: (...asked) => rules().means(...asked),
    validator,
  });
  const { executor, spill } = createRunning(ports, common, {
    hooks,
    permissions,
    filters,
    validator,
    isTrusted,
    early,
  });
  const startMayCall = () => mayCall && typeof deciding.hooks().onSessionStart === "function";
  return { executor, grants, hooks, runner, spill, toolset, startMayCall };
}

function createRunning(
  { setting, onKept }: SessionCallPorts,
  common: Common,
  deciding: {
    readonly hooks: SessionCallHooks;
    readonly permissions: CallPermissions;
    readonly filters: CallFilters;
    readonly validator: Validator;
    readonly isTrusted: (tool: Tool) => boolean;
    readonly early: EarlyEvents;
  },
): Pick<CallParts, "executor" | "spill"> {
  const { newId, sessionId } = common;
  const { journal, storeLong } = setting;
  const limits = { ...DEFAULT_LIMITS, ...setting.limits };
  const spill = createSpill({
    ...{ newId, workspace: setting.workspace, sessionId },
    stored: createStoredResults(journal, common.emit),
    onKept: (path) => onKept(path, reading),
  });
  const reading = createResultSource(spill, limits.resultBytes);
  if ((journal?.state.results.size ?? 0) > 0) onKept("", reading);
  const executor = createExecutor({
    ...common,
    ...deciding,
    scheduler: createScheduler(undefined, setting.keyring),
    accessOf: createAccess(common.cwd),
    spill,
    hooksFirst: setting.hooksFirst === true,
    ...(storeLong === undefined ? {} : { storeLong }),
    beforeRun: createStartCheck(journal?.recorder, setting.audit?.beforeRun ?? setting.beforeRun),
    ...(setting.allowance === undefined ? {} : { allowance: setting.allowance }),
    limits,
    onError: setting.logger.error,
  });
  return { executor, spill };
}

/** The same object each time, so that it is not prepared again for every call. */
const NO_HOOKS: SessionHooks = {};

function toDeciding({ onPermissionRequest, hooks, classifier }: CallSetting): Deciding {
  return {
    onPermissionRequest: onPermissionRequest ?? (() => null),
    hooks: hooks ?? (() => NO_HOOKS),
    classifier: classifier ?? (() => null),
  };
}

/** A handler that throws means no. The error is reported, unless the question was withdrawn. */
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
