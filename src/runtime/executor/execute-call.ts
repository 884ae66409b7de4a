import type { Call } from "../../core/call/call.ts";
import { type Eventual, whenKnown } from "../../core/call/eventual.ts";
import { fromThrown, type ToolResult } from "../../core/call/tool-result.ts";
import type { Progress } from "../../sources/source.ts";
import type { Request } from "../requests/request.ts";
import { type CallState, hasStarted } from "./call-state.ts";
import { type Cancellation, cancelled, orCancelled } from "./cancellation.ts";
import { finishCall } from "./finish-call.ts";
import { type JudgedCall, judgeCall } from "./judge-call.ts";
import type { Outcome } from "./outcome.ts";
import type { ExecutorPorts } from "./ports.ts";
import { findTool, type PreparedCall, prepareCall } from "./prepare-call.ts";
import { type Args, toShownArguments } from "./read-arguments.ts";
import { type Behind, type Ran, runCall } from "./run-call.ts";
import type { CallSlot } from "./scheduler.ts";
import { end, go, type Step } from "./step.ts";
import type { Confirmation } from "./stream.ts";

/** One call on its way. */
export interface ActiveCall {
  readonly call: Call;
  readonly request: Request;
  readonly cancellation: Cancellation;
  readonly confirmation: Confirmation;
  /** Null for a call that runs in the place of the call that made it, and for a client's until it is allowed. */
  slot: CallSlot | null;
  readonly parentId: string | null;
  /** How many calls it was made inside of. */
  readonly depth: number;
  readonly timeout: number | null;
  readonly behind: Behind | null;
  /** Calls that run in its place and have not left it; null while there was none. */
  inner: Set<Promise<void>> | null;
  /** Its place is free now. */
  readonly onLeave: () => void;
  state: CallState;
  /** Milliseconds in its source; null until that is over. */
  ran: number | null;
}

export type CallEnd = Pick<Outcome, "result" | "arguments" | "additionalContext" | "endTurn">;

/** All stages of one call. Ends in one result whatever happens, and never rejects (X1). */
export async function executeCall(active: ActiveCall, ports: ExecutorPorts): Promise<CallEnd> {
  let args: Args | null = null;
  const context: string[] = [];
  let letGo: Promise<void> | null = null;
  const stopWith = (result: ToolResult, endTurn = false): CallEnd => ({
    result,
    arguments: args ?? toShownArguments(active.call.arguments),
    additionalContext: context,
    endTurn,
  });
  try {
    if (active.depth > MOST_LEVELS) return stopWith(TOO_DEEP);
    const judging = orCancelled(judgeStages(active, ports), active.cancellation);
    const judged = judging instanceof Promise ? await judging : judging;
    if (judged === null) return stopWith(givenUp(active));
    if (judged.kind === "end") return stopWith(judged.result, judged.endTurn);
    const { prepared, additionalContext } = judged.value;
    args = prepared.args;
    context.push(...additionalContext);
    const admitting = admit(active, judged.value, ports);
    const admitted = admitting instanceof Promise ? await admitting : admitting;
    if (admitted.kind === "end") return stopWith(admitted.result, admitted.endTurn);
    const since = ports.clock.now();
    active.state = { kind: "running", call: active.call, since };
    tellRunning(admitted.value.prepared, ports);
    const { result, settled } = await run(active, admitted.value, ports);
    active.state = { kind: "finishing", call: active.call };
    active.ran = ports.clock.now() - since;
    if (active.cancellation.by !== null) letGo = settled;
    const finishing = finishCall(prepared, result, active.ran, active.cancellation, ports);
    const finished = finishing instanceof Promise ? await finishing : finishing;
    context.push(...finished.additionalContext);
    return stopWith(finished.result, finished.endTurn);
  } catch (error) {
    ports.onError(`the call of ${active.call.toolName} broke`, error);
    return stopWith(fromThrown(error));
  } finally {
    // Whatever ended the call, its place is free only when its source has let go of it.
    if (letGo === null && (active.inner?.size ?? 0) === 0) leave(active);
    else linger(active, letGo, ports);
  }
}

/** A tool that calls itself without end would otherwise take all memory before any time-out is looked at. */
const MOST_LEVELS = 32;
const TOO_DEEP_TEXT = `The call did not run: it was made inside ${MOST_LEVELS} other calls, each inside the next.`;
const TOO_DEEP: ToolResult = { textResultForLlm: TOO_DEEP_TEXT, resultType: "failure", error: TOO_DEEP_TEXT };

function leave(active: ActiveCall): void {
  active.slot?.release();
  active.state = { kind: "done", call: active.call, started: hasStarted(active.state) };
  active.onLeave();
}

/** How long a source may take to let go of an aborted call before somebody is told. */
const LETTING_GO = 1_000;

/** A handler that ignores its signal may still change what it was allowed to change, so nothing that excludes it starts. */
function linger(active: ActiveCall, letGo: Promise<void> | null, { clock, emit }: ExecutorPorts): void {
  const { call, slot } = active;
  active.state = { kind: "lingering", call, since: clock.now() };
  const timer = clock.setTimeout(() => {
    slot?.linger();
    if (letGo === null) return;
    const text = `${call.toolName} was told to stop and has not; calls that need what it uses wait until it does`;
    emit("session.warning", { code: "call.lingering", text, names: [call.toolName], origin: { kind: "default" } });
  }, LETTING_GO);
  void Promise.all([letGo, ...(active.inner ?? [])]).then(() => {
    clock.clearTimeout(timer);
    leave(active);
  });
}

function judgeStages(active: ActiveCall, ports: ExecutorPorts): Eventual<Step<JudgedCall>> {
  const { call, request, confirmation, cancellation } = active;
  const onAsking = (): void => {
    if (active.state.kind === "judging") active.state = { kind: "asking", call };
  };
  return whenKnown(prepareCall(call, request, ports.validator), (prepared): Eventual<Step<JudgedCall>> => {
    if (prepared.kind === "end") return prepared;
    const meant =
      confirmation.state !== "open" || mayStartEarly(prepared.value, ports) ? confirmation.state : confirmation.settled;
    return whenKnown(meant, (said) => {
      if (said === "refused") return end(cancelled("refusal", false));
      if (active.state.kind === "preparing") active.state = { kind: "judging", call };
      tellAccepted(active, prepared.value, ports);
      return judgeCall(prepared.value, { cancelling: cancellation, confirmation, onAsking }, ports);
    });
  });
}

/** X6: only what changes nothing, can be repeated, and is believed. */
function mayStartEarly({ tool }: PreparedCall, { isTrusted }: ExecutorPorts): boolean {
  return tool.traits.readOnly && tool.traits.idempotent && isTrusted(tool);
}

/** Fourth stage: waits for the call's turn, and looks again at what may have been narrowed meanwhile (E1). */
function admit(active: ActiveCall, judged: JudgedCall, ports: ExecutorPorts): Eventual<Step<JudgedCall>> {
  const { call, cancellation } = active;
  const { prepared, readOnly } = judged;
  if (active.behind !== null && active.parentId === null) active.slot = reserveLate(prepared, ports);
  const { slot } = active;
  active.state = { kind: "queued", call };
  const turn = slot === null || slot.ready(ports.accessOf(prepared, readOnly));
  const patience = slot === null || slot.isRunning ? null : giveUpWhenStuck(active, slot, prepared, ports);
  return whenKnown(orCancelled(turn, cancellation), (isAdmitted): Eventual<Step<JudgedCall>> => {
    patience?.();
    if (isAdmitted !== true) return end(cancellation.by === "timeout" ? STUCK : givenUp(active));
    return lookAgain(active, judged, ports);
  });
}

function lookAgain(
  { call, request, cancellation }: ActiveCall,
  judged: JudgedCall,
  { permissions }: ExecutorPorts,
): Eventual<Step<JudgedCall>> {
  const { prepared, decision, revision } = judged;
  const found = findTool(call.toolName, request);
  if (found.kind === "end") return found;
  const { tool, source } = found.value;
  const isSame = tool === prepared.tool && source === prepared.source;
  const now = isSame ? prepared : { call, entry: prepared.entry, tool, source, args: prepared.args };
  if (permissions.revision === revision) return go(isSame ? judged : { ...judged, prepared: now });
  const hook = { decision: "allow", reason: decision.text } as const;
  const options = { hook, mayAsk: false, cancelling: cancellation, onAsking: () => {} };
  return whenKnown(permissions.judge(now, options), (judgement) => {
    if (judgement.kind === "allowed") return go({ ...judged, prepared: now, reach: judgement.reach });
    const text = `Permission denied: the rules changed, and now ${judgement.decision.text}.`;
    return end({ textResultForLlm: text, resultType: "denied", error: text });
  });
}

/** What a server does with calls at the same time is its own affair. */
function reserveLate({ tool }: PreparedCall, { scheduler }: ExecutorPorts): CallSlot | null {
  if (tool.source === "mcp") return null;
  return scheduler.reserve(!(tool.traits.readOnly && tool.traits.concurrencySafe));
}

/** A call waits for others as long as they take, but not for ever behind one that nobody waits for any more. */
function giveUpWhenStuck(
  { cancellation, timeout }: ActiveCall,
  slot: CallSlot,
  { tool }: PreparedCall,
  { clock, limits }: ExecutorPorts,
): () => void {
  const wait = timeout ?? tool.timeout ?? limits.timeout;
  const look = () => {
    if (slot.isStuck) cancellation.cancel("timeout");
    else timer = clock.setTimeout(look, wait);
  };
  let timer = clock.setTimeout(look, wait);
  return () => clock.clearTimeout(timer);
}

const STUCK: ToolResult = {
  ...cancelled("timeout", false),
  textResultForLlm:
    "The call did not start: an earlier call was told to stop and has not let go of what this one needs.",
};

function tellAccepted({ call, parentId }: ActiveCall, { tool, args }: PreparedCall, { emit }: ExecutorPorts): void {
  emit("tool.execution_start", {
    toolCallId: call.id,
    toolName: call.toolName,
    arguments: args,
    mcpServerName: tool.source === "mcp" ? tool.server : null,
    parentToolCallId: parentId,
  });
}

function tellRunning({ call, args }: PreparedCall, { emit }: ExecutorPorts): void {
  emit("tool.running", { toolCallId: call.id, toolName: call.toolName, arguments: args });
}

function run(active: ActiveCall, judged: JudgedCall, ports: ExecutorPorts): Promise<Ran> {
  const { call, cancellation, behind } = active;
  const { emit, limits } = ports;
  const timeout = active.timeout ?? judged.prepared.tool.timeout ?? limits.timeout;
  const onProgress = ({ message, progress, total }: Progress): void => {
    if (active.state.kind !== "running") return;
    emit("tool.execution_progress", { toolCallId: call.id, progressMessage: message, progress, total });
  };
  return runCall(judged, cancellation, timeout, { ...ports, behind, onProgress });
}

function givenUp({ cancellation, state }: ActiveCall): ToolResult {
  return cancelled(cancellation.by ?? "user", hasStarted(state));
}
