import type { HookEvent } from "../../config/shape/hook-shape.ts";
import { type Cancelling, fromSignal } from "../../core/call/cancelling.ts";
import { known, runStage, type Stage } from "../../core/call/eventual.ts";
import { type ToolResult, toToolResult } from "../../core/call/tool-result.ts";
import type { Mode } from "../../core/scene/scene.ts";
import { createCancellation } from "../executor/cancellation.ts";
import type { CallHooks, PostToolOutcome, PreToolOutcome } from "../executor/ports.ts";
import type { PreparedCall } from "../executor/prepare-call.ts";
import { readArguments } from "../executor/read-arguments.ts";
import type { Answered } from "../permissions/asking.ts";
import type { PermissionRequest } from "../permissions/permission-request.ts";
import { fromHookInput, type HookDetails, toHookInput } from "./hook-input.ts";
import { hookNames } from "./hook-matcher.ts";
import type { HookRunner, HookSide } from "./hook-runner.ts";
import { type HookVerdict, mergeVerdicts, SILENT_HOOK } from "./read-output.ts";

export interface CallHookPorts {
  readonly runner: HookRunner;
  readonly sessionId: string;
  /** The subagent whose calls these are; null or absent for the session's own. */
  readonly agentId?: string | null;
  readonly cwd: string;
  readonly mode: () => Mode;
  readonly today: () => number;
  /** Whether a permission rule matches the call, for hooks with a condition. */
  readonly isMeantBy: (rule: string, prepared: PreparedCall) => Promise<boolean>;
}

export interface SessionCallHooks extends CallHooks {
  /**
   * What hooks answer instead of a person; null if none of them decides. If managed policy asks, only its own hooks can
   * say yes.
   */
  ask(request: PermissionRequest, prepared: PreparedCall, byPolicy: boolean): Promise<Answered | null>;
  /** Events without a call. */
  tell(event: Exclude<HookEvent, ToolEvent>, input: object): Promise<HookVerdict>;
}

type ToolEvent = "preToolUse" | "postToolUse" | "postToolUseFailure" | "permissionRequest";

/** The hooks of a session, for the executor and the permission pipeline. */
export function createCallHooks(ports: CallHookPorts): SessionCallHooks {
  const { runner, sessionId, cwd } = ports;
  return {
    pre: (prepared, cancelling) => runStage(beforeCall(prepared, cancelling, ports)),
    review: (prepared, cancelling) =>
      runner.has("preToolUse", "policy")
        ? runStage(toPre(runSide("preToolUse", prepared, NO_MORE, cancelling, ports, "policy"), prepared, cwd))
        : SILENT_HOOK,
    preUnknown: ({ id, toolName, arguments: args }, cancelling) => {
      if (!runner.has("preToolUse")) return SILENT_HOOK;
      const toolArgs = typeof args === "object" && args !== null ? args : {};
      const about = { toolName, toolArgs, toolCallId: id };
      const verdict = runner.run({
        event: "preToolUse",
        names: () => [toolName],
        isMeantBy: async () => false,
        toolCallId: id,
        input: { sessionId, timestamp: ports.today(), workingDirectory: cwd, ...about },
        wireInput: (hook) => toHookInput({ ...toHookDetails("preToolUse", ports), more: about }, hook),
        cancelling,
      });
      return Promise.resolve(verdict).then(mergeVerdicts);
    },
    post(prepared, result, duration, cancelling) {
      if (result.cancelledBy !== undefined) return NOTHING;
      if (result.resultType === "failure") return runStage(afterFailure(prepared, result, duration, cancelling, ports));
      if (result.resultType !== "success" || !runner.has("postToolUse")) return NOTHING;
      return runStage(afterSuccess(prepared, result, duration, cancelling, ports));
    },
    async ask({ reason, signal }, prepared, byPolicy) {
      const about = { more: { reason }, details: {} };
      const stage = runForTool("permissionRequest", prepared, about, fromSignal(signal), ports, byPolicy);
      const verdict = await runStage(stage);
      if (verdict.decision === null || verdict.decision === "ask") return null;
      const why = verdict.reason === null ? {} : { reason: verdict.reason };
      return {
        answer: { decision: verdict.decision, endTurn: verdict.endTurn, ...why, ...inputOf(verdict, prepared, cwd) },
        by: "a hook",
      };
    },
    async tell(event, input) {
      if (!runner.has(event)) return SILENT_HOOK;
      const run = async (about: object, side?: HookSide) =>
        mergeVerdicts(
          await runner.run({
            event,
            ...(side === undefined ? {} : { side }),
            names: () => occasionOf(event, about),
            isMeantBy: async () => false,
            toolCallId: null,
            input: { sessionId, timestamp: ports.today(), workingDirectory: cwd, ...about },
            wireInput: (hook) => toHookInput({ ...toHookDetails(event, ports), more: about }, hook),
            cancelling: createCancellation(),
          }),
        );
      if (!runner.has(event, "policy")) return run(input);
      const others = await run(input, "others");
      const { updatedPrompt } = others;
      const next = updatedPrompt === null ? input : { ...input, prompt: updatedPrompt };
      return mergeVerdicts([others, await run(next, "policy")]);
    },
  };
}

function beforeCall(prepared: PreparedCall, cancelling: Cancelling, ports: CallHookPorts): Stage<PreToolOutcome> {
  return toPre(runForTool("preToolUse", prepared, NO_MORE, cancelling, ports), prepared, ports.cwd);
}

function* toPre(running: Stage<HookVerdict>, prepared: PreparedCall, cwd: string): Stage<PreToolOutcome> {
  const verdict = yield* running;
  const { decision, reason, additionalContext, endTurn } = verdict;
  if (verdict.updatedInput === undefined) return { decision, reason, additionalContext, endTurn };
  return { decision, reason, additionalContext, endTurn, ...inputOf(verdict, prepared, cwd) };
}

function* afterSuccess(
  prepared: PreparedCall,
  result: ToolResult,
  duration: number,
  cancelling: Cancelling,
  ports: CallHookPorts,
): Stage<PostToolOutcome> {
  const about = { more: { toolResult: result, duration }, details: { result, duration } };
  const verdict = yield* runForTool("postToolUse", prepared, about, cancelling, ports);
  const outcome = toPost(verdict);
  if (verdict.updatedOutput === undefined) return outcome;
  const changed = replaceResult(result, verdict.updatedOutput);
  if (changed.resultType !== "failure") return { ...outcome, result: changed };
  // As documented for Copilot: a success that a hook turned into a failure also triggers the failure hooks.
  const then = yield* afterFailure(prepared, changed, duration, cancelling, ports);
  return {
    result: changed,
    additionalContext: [...outcome.additionalContext, ...then.additionalContext],
    endTurn: outcome.endTurn || then.endTurn,
  };
}

function* afterFailure(
  prepared: PreparedCall,
  result: ToolResult,
  duration: number,
  cancelling: Cancelling,
  ports: CallHookPorts,
): Stage<PostToolOutcome> {
  const error = result.error ?? result.textResultForLlm;
  const about = { more: { error }, details: { error, duration } };
  return toPost(yield* runForTool("postToolUseFailure", prepared, about, cancelling, ports));
}

interface About {
  readonly more: object;
  readonly details: Partial<HookDetails>;
}

/** Hooks of managed policy run last and see the outcome of the others, so that nobody changes what they have seen. */
function* runForTool(
  event: ToolEvent,
  prepared: PreparedCall,
  about: About,
  cancelling: Cancelling,
  ports: CallHookPorts,
  byPolicy = false,
): Stage<HookVerdict> {
  const { runner } = ports;
  if (!runner.has(event)) return SILENT_HOOK;
  if (!byPolicy && !runner.has(event, "policy")) return yield* runSide(event, prepared, about, cancelling, ports);
  const verdict = yield* runSide(event, prepared, about, cancelling, ports, "others");
  const others = byPolicy && verdict.decision === "allow" ? SILENT_HOOK : verdict;
  const next = changedBy(others, prepared, about, ports.cwd);
  return mergeVerdicts([others, yield* runSide(event, next.prepared, next.about, cancelling, ports, "policy")]);
}

function changedBy(
  verdict: HookVerdict,
  prepared: PreparedCall,
  about: About,
  cwd: string,
): { readonly prepared: PreparedCall; readonly about: About } {
  const args =
    verdict.updatedInput === undefined ? null : readArguments(fromHookInput(verdict.updatedInput, prepared, cwd));
  const { result } = about.details;
  const shown = verdict.updatedOutput === undefined || !result ? null : replaceResult(result, verdict.updatedOutput);
  return {
    prepared: args?.kind === "go" ? { ...prepared, args: args.value } : prepared,
    about:
      shown === null
        ? about
        : { more: { ...about.more, toolResult: shown }, details: { ...about.details, result: shown } },
  };
}

function* runSide(
  event: ToolEvent,
  prepared: PreparedCall,
  about: About,
  cancelling: Cancelling,
  ports: CallHookPorts,
  side?: HookSide,
): Stage<HookVerdict> {
  const { runner, sessionId, cwd } = ports;
  const { call, entry, args } = prepared;
  const verdict = yield* known(
    runner.run({
      event,
      ...(side === undefined ? {} : { side }),
      names: () => hookNames(entry),
      isMeantBy: (rule) => ports.isMeantBy(rule, prepared),
      toolCallId: call.id,
      input: {
        sessionId,
        timestamp: ports.today(),
        workingDirectory: cwd,
        toolName: entry.wireName,
        toolArgs: args,
        toolCallId: call.id,
        ...(ports.agentId ? { agentId: ports.agentId } : {}),
        ...about.more,
      },
      wireInput: (hook) => toHookInput({ ...toHookDetails(event, ports), prepared, ...about.details }, hook),
      cancelling,
    }),
  );
  return mergeVerdicts(verdict);
}

const NO_MORE = { more: {}, details: {} };

function toHookDetails(event: HookEvent, { sessionId, cwd, mode, today }: CallHookPorts): HookDetails {
  const about = { prepared: null, result: null, duration: null, error: null, more: {} };
  return { event, sessionId, cwd, mode: mode(), time: today(), ...about };
}

function inputOf(
  { updatedInput }: HookVerdict,
  prepared: PreparedCall,
  cwd: string,
): { readonly updatedInput?: unknown } {
  return updatedInput === undefined ? {} : { updatedInput: fromHookInput(updatedInput, prepared, cwd) };
}

const NOTHING = { additionalContext: [], endTurn: false };

/** The call is over: a block becomes a note to the model. */
function toPost({ decision, reason, additionalContext, endTurn }: HookVerdict): PostToolOutcome {
  const feedback = decision === "deny" && reason !== null ? [reason] : [];
  return { additionalContext: [...additionalContext, ...feedback], endTurn };
}

/** Matchers of a session's start and end are about how it starts and why it ends. */
function occasionOf(event: HookEvent, input: object): readonly string[] {
  const key = event === "sessionStart" ? "source" : event === "sessionEnd" ? "reason" : null;
  const word: unknown = key === null ? null : Reflect.get(input, key);
  return typeof word === "string" ? [word] : [];
}

/** The parts for people stay; what the model reads is replaced completely. */
function replaceResult({ error, sessionLog, toolTelemetry }: ToolResult, output: unknown): ToolResult {
  const kept = { error, sessionLog, toolTelemetry };
  const stated = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  return { ...stated, ...toToolResult(output) };
}
