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
import { fromHookInput, type Told, toHookInput } from "./hook-input.ts";
import { hookNames } from "./hook-matcher.ts";
import type { HookRunner, HookSide } from "./hook-runner.ts";
import { type HookSaid, mergeSaid, SILENT_HOOK } from "./read-output.ts";

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
  tell(event: Exclude<HookEvent, ToolEvent>, input: object): Promise<HookSaid>;
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
    async ask({ reason, signal }, prepared, byPolicy) {
      const about = { more: { reason }, told: {} };
      const stage = runForTool("permissionRequest", prepared, about, fromSignal(signal), ports, byPolicy);
      const said = await runStage(stage);
      if (said.decision === null || said.decision === "ask") return null;
      const why = said.reason === null ? {} : { reason: said.reason };
      return {
        answer: { decision: said.decision, endTurn: said.endTurn, ...why, ...inputOf(said, prepared, cwd) },
        by: "a hook",
      };
    },
    async tell(event, input) {
      if (!runner.has(event)) return SILENT_HOOK;
      const run = async (about: object, side?: HookSide) =>
        mergeSaid(
          await runner.run({
            event,
            ...(side === undefined ? {} : { side }),
            names: () => occasionOf(event, about),
            isMeantBy: async () => false,
            toolCallId: null,
            input: { sessionId, timestamp: ports.today(), workingDirectory: cwd, ...about },
            wireInput: (hook) => toHookInput({ ...toTold(event, ports), more: about }, hook),
            cancelling: createCancellation(),
          }),
        );
      if (!runner.has(event, "policy")) return run(input);
      const others = await run(input, "others");
      const { updatedPrompt } = others;
      const next = updatedPrompt === null ? input : { ...input, prompt: updatedPrompt };
      return mergeSaid([others, await run(next, "policy")]);
    },
  };
}

function beforeCall(prepared: PreparedCall, cancelling: Cancelling, ports: CallHookPorts): Stage<PreToolOutcome> {
  return toPre(runForTool("preToolUse", prepared, NO_MORE, cancelling, ports), prepared, ports.cwd);
}

function* toPre(running: Stage<HookSaid>, prepared: PreparedCall, cwd: string): Stage<PreToolOutcome> {
  const said = yield* running;
  const { decision, reason, additionalContext, endTurn } = said;
  if (said.updatedInput === undefined) return { decision, reason, additionalContext, endTurn };
  return { decision, reason, additionalContext, endTurn, ...inputOf(said, prepared, cwd) };
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
  const about = { more: { error }, told: { error, duration } };
  return toPost(yield* runForTool("postToolUseFailure", prepared, about, cancelling, ports));
}

interface About {
  readonly more: object;
  readonly told: Partial<Told>;
}

/** Hooks of managed policy run last and see the outcome of the others, so that nobody changes what they have seen. */
function* runForTool(
  event: ToolEvent,
  prepared: PreparedCall,
  about: About,
  cancelling: Cancelling,
  ports: CallHookPorts,
  byPolicy = false,
): Stage<HookSaid> {
  const { runner } = ports;
  if (!runner.has(event)) return SILENT_HOOK;
  if (!byPolicy && !runner.has(event, "policy")) return yield* runSide(event, prepared, about, cancelling, ports);
  const said = yield* runSide(event, prepared, about, cancelling, ports, "others");
  const others = byPolicy && said.decision === "allow" ? SILENT_HOOK : said;
  const next = changedBy(others, prepared, about, ports.cwd);
  return mergeSaid([others, yield* runSide(event, next.prepared, next.about, cancelling, ports, "policy")]);
}

function changedBy(
  said: HookSaid,
  prepared: PreparedCall,
  about: About,
  cwd: string,
): { readonly prepared: PreparedCall; readonly about: About } {
  const args = said.updatedInput === undefined ? null : readArguments(fromHookInput(said.updatedInput, prepared, cwd));
  const { result } = about.told;
  const shown = said.updatedOutput === undefined || !result ? null : replaceResult(result, said.updatedOutput);
  return {
    prepared: args?.kind === "go" ? { ...prepared, args: args.value } : prepared,
    about:
      shown === null ? about : { more: { ...about.more, toolResult: shown }, told: { ...about.told, result: shown } },
  };
}

function* runSide(
  event: ToolEvent,
  prepared: PreparedCall,
  about: About,
  cancelling: Cancelling,
  ports: CallHookPorts,
  side?: HookSide,
): Stage<HookSaid> {
  const { runner, sessionId, cwd } = ports;
  const { call, entry, args } = prepared;
  const said = yield* known(
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

/** The call is over: a block becomes a note to the model. */
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

/** The parts for people stay; what the model reads is replaced completely. */
function replaceResult({ error, sessionLog, toolTelemetry }: ToolResult, output: unknown): ToolResult {
  const kept = { error, sessionLog, toolTelemetry };
  const stated = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  return { ...stated, ...toToolResult(output) };
}
