import type { HookEvent } from "../../config/shape/hook-shape.ts";
import { type Cancelling, fromSignal } from "../../core/call/cancelling.ts";
import { known, runStage, type Stage } from "../../core/call/eventual.ts";
import { type ToolResult, toToolResult } from "../../core/call/tool-result.ts";
import type { Mode } from "../../core/scene/scene.ts";
import { createCancellation } from "../executor/cancellation.ts";
import type { CallHooks, PostToolOutcome, PreToolOutcome } from "../executor/ports.ts";
import type { PreparedCall } from "../executor/prepare-call.ts";
import type { Answered } from "../permissions/asking.ts";
import type { PermissionRequest } from "../permissions/permission-request.ts";
import { fromHookInput, type Told, toHookInput } from "./hook-input.ts";
import { hookNames } from "./hook-matcher.ts";
import type { HookRunner } from "./hook-runner.ts";
import { type HookSaid, mergeSaid, SILENT_HOOK } from "./read-output.ts";

export interface CallHookPorts {
  readonly runner: HookRunner;
  readonly sessionId: string;
  /** The subagent whose calls these are; null or absent for the session's own. */
  readonly agentId?: string | null;
  readonly cwd: string;
  readonly mode: () => Mode;
  readonly today: () => number;
  /** Whether a permission rule means the call, for hooks with a condition. */
  readonly isMeantBy: (rule: string, prepared: PreparedCall) => Promise<boolean>;
}

export interface SessionCallHooks extends CallHooks {
  /** What hooks answer in place of a person; null when none of them decides. */
  ask(request: PermissionRequest, prepared: PreparedCall): Promise<Answered | null>;
  /** Events that are about no call. */
  tell(event: Exclude<HookEvent, ToolEvent>, input: object): Promise<HookSaid>;
}

type ToolEvent = "preToolUse" | "postToolUse" | "postToolUseFailure" | "permissionRequest";

/** The hooks of a session as the executor and the permission pipeline call them. */
export function createCallHooks(ports: CallHookPorts): SessionCallHooks {
  const { runner, sessionId, cwd } = ports;
  return {
    pre: (prepared, cancelling) => runStage(beforeCall(prepared, cancelling, ports)),
    preUnknown: ({ id, toolName, arguments: args }, cancelling) => {
      if (!runner.has("preToolUse")) return SILENT_HOOK;
      const toolArgs = typeof args === "object" && args !== null ? args : {};
      const about = { toolName, toolArgs, toolCallId: id };
      const said = runner.run({
        event: "preToolUse",
        names: () => [toolName],
        isMeantBy: async () => false,
        toolCallId: id,
        input: { sessionId, timestamp: ports.today(), workingDirectory: cwd, ...about },
        wireInput: (hook) => toHookInput({ ...toTold("preToolUse", ports), more: about }, hook),
        cancelling,
      });
      return Promise.resolve(said).then(mergeSaid);
    },
    post(prepared, result, duration, cancelling) {
      if (result.cancelledBy !== undefined) return NOTHING;
      if (result.resultType === "failure") return runStage(afterFailure(prepared, result, duration, cancelling, ports));
      if (result.resultType !== "success" || !runner.has("postToolUse")) return NOTHING;
      return runStage(afterSuccess(prepared, result, duration, cancelling, ports));
    },
    async ask({ reason, signal }, prepared) {
      const about = { more: { reason }, told: {} };
      const said = await runStage(runForTool("permissionRequest", prepared, about, fromSignal(signal), ports));
      if (said.decision === null || said.decision === "ask") return null;
      const why = said.reason === null ? {} : { reason: said.reason };
      return {
        answer: { decision: said.decision, endTurn: said.endTurn, ...why, ...inputOf(said, prepared, cwd) },
        by: "a hook",
      };
    },
    async tell(event, input) {
      if (!runner.has(event)) return SILENT_HOOK;
      return mergeSaid(
        await runner.run({
          event,
          names: () => occasionOf(event, input),
          isMeantBy: async () => false,
          toolCallId: null,
          input: { sessionId, timestamp: ports.today(), workingDirectory: cwd, ...input },
          wireInput: (hook) => toHookInput({ ...toTold(event, ports), more: input }, hook),
          cancelling: createCancellation(),
        }),
      );
    },
  };
}

function* beforeCall(prepared: PreparedCall, cancelling: Cancelling, ports: CallHookPorts): Stage<PreToolOutcome> {
  const said = yield* runForTool("preToolUse", prepared, NO_MORE, cancelling, ports);
  const { decision, reason, additionalContext, endTurn } = said;
  if (said.updatedInput === undefined) return { decision, reason, additionalContext, endTurn };
  return { decision, reason, additionalContext, endTurn, ...inputOf(said, prepared, ports.cwd) };
}

function* afterSuccess(
  prepared: PreparedCall,
  result: ToolResult,
  duration: number,
  cancelling: Cancelling,
  ports: CallHookPorts,
): Stage<PostToolOutcome> {
  const about = { more: { toolResult: result, duration }, told: { result, duration } };
  const said = yield* runForTool("postToolUse", prepared, about, cancelling, ports);
  const outcome = toPost(said);
  if (said.updatedOutput === undefined) return outcome;
  const changed = replaceResult(result, said.updatedOutput);
  if (changed.resultType !== "failure") return { ...outcome, result: changed };
  // As documented for Copilot: a success that a hook turned into a failure is one for the hooks of failures too.
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
  const about = { more: { error }, told: { error, duration } };
  return toPost(yield* runForTool("postToolUseFailure", prepared, about, cancelling, ports));
}

function* runForTool(
  event: ToolEvent,
  prepared: PreparedCall,
  about: { readonly more: object; readonly told: Partial<Told> },
  cancelling: Cancelling,
  ports: CallHookPorts,
): Stage<HookSaid> {
  const { runner, sessionId, cwd } = ports;
  if (!runner.has(event)) return SILENT_HOOK;
  const { call, entry, args } = prepared;
  const said = yield* known(
    runner.run({
      event,
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
      wireInput: (hook) => toHookInput({ ...toTold(event, ports), prepared, ...about.told }, hook),
      cancelling,
    }),
  );
  return mergeSaid(said);
}

const NO_MORE = { more: {}, told: {} };

function toTold(event: HookEvent, { sessionId, cwd, mode, today }: CallHookPorts): Told {
  const about = { prepared: null, result: null, duration: null, error: null, more: {} };
  return { event, sessionId, cwd, mode: mode(), time: today(), ...about };
}

function inputOf({ updatedInput }: HookSaid, prepared: PreparedCall, cwd: string): { readonly updatedInput?: unknown } {
  return updatedInput === undefined ? {} : { updatedInput: fromHookInput(updatedInput, prepared, cwd) };
}

const NOTHING = { additionalContext: [], endTurn: false };

/** The call is over: a block is a word to the model about it. */
function toPost({ decision, reason, additionalContext, endTurn }: HookSaid): PostToolOutcome {
  const feedback = decision === "deny" && reason !== null ? [reason] : [];
  return { additionalContext: [...additionalContext, ...feedback], endTurn };
}

/** Matchers of a session's start and end are about how it starts and why it ends. */
function occasionOf(event: HookEvent, input: object): readonly string[] {
  const key = event === "sessionStart" ? "source" : event === "sessionEnd" ? "reason" : null;
  const word: unknown = key === null ? null : Reflect.get(input, key);
  return typeof word === "string" ? [word] : [];
}

/** What people may read of the call stays; what the model reads is replaced whole. */
function replaceResult({ error, sessionLog, toolTelemetry }: ToolResult, output: unknown): ToolResult {
  const kept = { error, sessionLog, toolTelemetry };
  const stated = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  return { ...stated, ...toToolResult(output) };
}
