import type { HookEvent } from "../../config/shape/hook-shape.ts";
import { type Cancelling, fromSignal } from "../../core/call/cancelling.ts";
import { type Eventual, whenKnown } from "../../core/call/eventual.ts";
import { type ToolResult, toToolResult } from "../../core/call/tool-result.ts";
import type { Mode } from "../../core/scene/scene.ts";
import { createCancellation } from "../executor/cancellation.ts";
import type { CallHooks, PostToolOutcome } from "../executor/ports.ts";
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
  const common = () => ({ sessionId, timestamp: ports.today(), workingDirectory: cwd });
  const told = (event: HookEvent): Told => ({
    event,
    sessionId,
    cwd,
    mode: ports.mode(),
    time: ports.today(),
    prepared: null,
    result: null,
    duration: null,
    error: null,
    more: {},
  });

  const runForTool = (
    event: ToolEvent,
    prepared: PreparedCall,
    about: { readonly more: object; readonly told: Partial<Told> },
    cancelling: Cancelling,
  ): Eventual<HookSaid> => {
    if (!runner.has(event)) return SILENT_HOOK;
    const { call, entry, args } = prepared;
    const running = runner.run({
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
        ...about.more,
      },
      wireInput: (hook) => toHookInput({ ...told(event), prepared, ...about.told }, hook),
      cancelling,
    });
    return whenKnown(running, mergeSaid);
  };

  const afterFailure = (prepared: PreparedCall, result: ToolResult, duration: number, cancelling: Cancelling) => {
    const error = result.error ?? result.textResultForLlm;
    return runForTool("postToolUseFailure", prepared, { more: { error }, told: { error, duration } }, cancelling);
  };

  return {
    pre(prepared, cancelling) {
      return whenKnown(runForTool("preToolUse", prepared, { more: {}, told: {} }, cancelling), (said) => {
        const { decision, reason, additionalContext, endTurn } = said;
        if (said.updatedInput === undefined) return { decision, reason, additionalContext, endTurn };
        const updatedInput = fromHookInput(said.updatedInput, prepared, cwd);
        return { decision, reason, additionalContext, endTurn, updatedInput };
      });
    },
    post(prepared, result, duration, cancelling) {
      if (result.cancelledBy !== undefined) return NOTHING;
      if (result.resultType === "failure")
        return whenKnown(afterFailure(prepared, result, duration, cancelling), toPost);
      if (result.resultType !== "success" || !runner.has("postToolUse")) return NOTHING;
      const about = { more: { toolResult: result, duration }, told: { result, duration } };
      const running = runForTool("postToolUse", prepared, about, cancelling);
      return whenKnown(running, (said): Eventual<PostToolOutcome> => {
        if (said.updatedOutput === undefined) return toPost(said);
        const changed = replaceResult(result, said.updatedOutput);
        const outcome = { ...toPost(said), result: changed };
        if (changed.resultType !== "failure") return outcome;
        // As documented for Copilot: a success that a hook turned into a failure is one for the hooks of failures too.
        return whenKnown(afterFailure(prepared, changed, duration, cancelling), (again) => {
          const then = toPost(again);
          return {
            result: changed,
            additionalContext: [...outcome.additionalContext, ...then.additionalContext],
            endTurn: outcome.endTurn || then.endTurn,
          };
        });
      });
    },
    async ask({ reason, signal }, prepared) {
      const said = await runForTool("permissionRequest", prepared, { more: { reason }, told: {} }, fromSignal(signal));
      if (said.decision === null || said.decision === "ask") return null;
      const why = said.reason === null ? {} : { reason: said.reason };
      const { updatedInput } = said;
      const input = updatedInput === undefined ? {} : { updatedInput: fromHookInput(updatedInput, prepared, cwd) };
      return { answer: { decision: said.decision, endTurn: said.endTurn, ...why, ...input }, by: "a hook" };
    },
    async tell(event, input) {
      if (!runner.has(event)) return SILENT_HOOK;
      return mergeSaid(
        await runner.run({
          event,
          names: () => occasionOf(event, input),
          isMeantBy: async () => false,
          toolCallId: null,
          input: { ...common(), ...input },
          wireInput: (hook) => toHookInput({ ...told(event), more: input }, hook),
          cancelling: createCancellation(),
        }),
      );
    },
  };
}

const NOTHING = { additionalContext: [], endTurn: false };

/** The call is over: a block is a word to the model about it. */
function toPost({ decision, reason, additionalContext, endTurn }: HookSaid) {
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
