import { type Eventual, known, runStage, type Stage } from "../../core/call/eventual.ts";
import { fromThrown, type ToolResult } from "../../core/call/tool-result.ts";
import { isBuiltin, serverOf } from "../../core/tool/tool.ts";
import type { PeerClient } from "../../sources/peer.ts";
import type { Progress } from "../../sources/source.ts";
import { type ActiveCall, givenUp } from "./active-call.ts";
import { admitCall } from "./admit-call.ts";
import { hasStarted } from "./call-state.ts";
import { cancelled, orCancelled } from "./cancellation.ts";
import { finishCall } from "./finish-call.ts";
import { endByHook, type JudgedCall, judgeCall } from "./judge-call.ts";
import type { Outcome } from "./outcome.ts";
import type { ExecutorPorts } from "./ports.ts";
import { type PreparedCall, prepareCall, validateCall } from "./prepare-call.ts";
import { type Args, toShownArguments } from "./read-arguments.ts";
import { type Ran, runTool } from "./run-tool.ts";
import { type Ended, end, type Step } from "./step.ts";

export type CallEnd = Pick<Outcome, "result" | "arguments" | "additionalContext" | "endTurn">;

/** All stages of one call. Ends in one result whatever happens, and never rejects (X1). */
export function* executeCall(active: ActiveCall, ports: ExecutorPorts): Stage<CallEnd> {
  let args: Args | null = null;
  const context: string[] = [];
  let released: Promise<unknown> | null = null;
  const stopWith = (result: ToolResult, endTurn = false): CallEnd => ({
    result,
    arguments: args ?? shownArguments(active, ports),
    additionalContext: context,
    endTurn,
  });
  try {
    if (active.depth > MOST_LEVELS) return stopWith(TOO_DEEP);
    const judged = yield* known(orCancelled(runStage(judgeStages(active, ports)), active.cancellation));
    if (judged === null) return stopWith(givenUp(active));
    if (judged.kind === "end") return stopWith(judged.result, judged.endTurn);
    const { prepared, additionalContext } = judged.value;
    args = prepared.args;
    context.push(...additionalContext);
    const admitted = yield* admitCall(active, judged.value, ports);
    if (admitted.kind === "end") return stopWith(admitted.result, admitted.endTurn);
    const since = ports.clock.now();
    active.state = { kind: "running", call: active.call, since };
    emitRunning(admitted.value.prepared, ports);
    const checking = ports.beforeRun?.(admitted.value.prepared) ?? null;
    const refusal = checking === null ? null : yield* mayNotRun(active, checking);
    if (refusal !== null) return stopWith(refusal);
    const excess = yield* takeAllowance(active, admitted.value.prepared, ports);
    if (excess !== null) return stopWith(excess);
    const { result, settled } = yield* known(run(active, admitted.value, ports));
    active.state = { kind: "finishing", call: active.call };
    active.ran = ports.clock.now() - since;
    released = settled;
    const { ran, cancellation, resultBytes } = active;
    const finished = yield* finishCall(prepared, result, ran, cancellation, ports, resultBytes ?? undefined);
    context.push(...finished.additionalContext);
    active.taken?.count(finished.result);
    if (active.taken !== null && active.taken.note !== null) context.push(active.taken.note);
    return stopWith(finished.result, finished.endTurn);
  } catch (error) {
    ports.onError(`the call of ${active.call.toolName} broke`, error);
    return stopWith(fromThrown(error));
  } finally {
    // However the call ended, its slot is free only when its source has stopped.
    if (released === null && (active.inner?.size ?? 0) === 0) leave(active);
    else linger(active, released, ports);
  }
}

/** A tool that calls itself without end would otherwise use up all memory before any time-out. */
const MOST_LEVELS = 32;
const TOO_DEEP_TEXT = `The call did not run: it was made inside ${MOST_LEVELS} other calls, each inside the next.`;
const TOO_DEEP: ToolResult = { textResultForLlm: TOO_DEEP_TEXT, resultType: "failure", error: TOO_DEEP_TEXT };

function shownArguments({ call }: ActiveCall, { filters }: ExecutorPorts): unknown {
  return filters === undefined ? toShownArguments(call.arguments) : filters.shown(call.arguments);
}

function leave(active: ActiveCall): void {
  active.taken?.leave();
  active.slot?.release();
  active.state = { kind: "done", call: active.call, started: hasStarted(active.state) };
  active.onLeave();
}

/** How long a source may take to stop an aborted call before that is reported. */
const RELEASING = 1_000;

/** A handler that ignores its signal may still make changes, so nothing that excludes it starts. */
function linger(active: ActiveCall, released: Promise<unknown> | null, { clock, emit }: ExecutorPorts): void {
  const { call, slot } = active;
  active.state = { kind: "lingering", call, since: clock.now() };
  const timer = clock.setTimeout(() => {
    slot?.linger();
    if (released === null) return;
    const text = `${call.toolName} was told to stop and has not; calls that need what it uses wait until it does`;
    emit("session.warning", { code: "call.lingering", text, names: [call.toolName], origin: { kind: "default" } });
  }, RELEASING);
  void Promise.all([released, ...(active.inner ?? [])]).then(() => {
    clock.clearTimeout(timer);
    leave(active);
  });
}

function* judgeStages(active: ActiveCall, ports: ExecutorPorts): Stage<Step<JudgedCall>> {
  const { call, request, confirmation, cancellation } = active;
  const onAsking = (): void => {
    if (active.state.kind === "judging") active.state = { kind: "asking", call };
  };
  const found = prepareCall(call, request);
  if (found.kind === "end") return ports.hooksFirst === true ? yield* askFirst(active, found, ports) : found;
  const valid = yield* validateCall(found.value, ports.validator);
  const filters = valid.kind === "end" ? undefined : ports.filters;
  const prepared =
    filters === undefined || valid.kind === "end" ? valid : yield* known(filters.arguments(valid.value, cancellation));
  if (prepared.kind === "end") return prepared;
  const isOpen = confirmation.state === "open" && !(yield* known(mayStartEarly(prepared.value, ports)));
  const confirmed = isOpen ? yield* known(confirmation.settled) : confirmation.state;
  if (confirmed === "refused") return end(cancelled("refusal", false));
  if (cancellation.isCancelled) return end(givenUp(active));
  if (active.state.kind === "preparing") active.state = { kind: "judging", call };
  emitAccepted(prepared.value, ports);
  // Nobody is asked about what would be refused afterwards.
  const excess = ports.allowance?.()?.refusal(prepared.value) ?? null;
  if (excess !== null) return end(excess);
  return yield* judgeCall(prepared.value, { cancelling: cancellation, confirmation, onAsking }, ports);
}

/** A hook may refuse the call before its tool is found to be missing. */
function* askFirst(active: ActiveCall, found: Ended, { hooks }: ExecutorPorts): Stage<Ended> {
  const { call, confirmation, cancellation } = active;
  if (hooks.preUnknown === undefined) return found;
  if (confirmation.state === "open") yield* known(confirmation.settled);
  const { decision, reason, endTurn } = yield* known(hooks.preUnknown(call, cancellation));
  return decision === "deny" || endTurn ? endByHook(reason, endTurn) : found;
}

/** X6: only a call that changes nothing, can be repeated, and whose tool is trusted. */
function mayStartEarly(prepared: PreparedCall, { isTrusted, permissions }: ExecutorPorts): Eventual<boolean> {
  const { tool, args } = prepared;
  const { readOnly, idempotent, hostShell } = tool.traits;
  if (readOnly) return idempotent && isTrusted(tool);
  // A command in the background would outlive a reply that is refused.
  if (!hostShell || !isBuiltin(tool) || args.mode === "background") return false;
  return permissions.onlyReads?.(prepared) ?? false;
}

function emitAccepted({ call, tool, args }: PreparedCall, { emit }: ExecutorPorts): void {
  const { id: toolCallId, toolName, parentId: parentToolCallId = null, codeLine } = call;
  const start = { toolCallId, toolName, arguments: args, mcpServerName: serverOf(tool), parentToolCallId };
  emit("tool.execution_start", codeLine === undefined ? start : { ...start, codeLine });
}

function emitRunning({ call, args, source, tool }: PreparedCall, { emit }: ExecutorPorts): void {
  const { login } = source;
  const about = { toolCallId: call.id, toolName: call.toolName, arguments: args };
  const running = login === undefined ? about : { ...about, login };
  emit("tool.running", source.onlyAsks?.(tool) === true ? { ...running, onlyAsks: true } : running);
}

/** Counts the call against the caller's limits; the result instead of running it, or null if it may run. */
function* takeAllowance(
  active: ActiveCall,
  prepared: PreparedCall,
  { allowance }: ExecutorPorts,
): Stage<ToolResult | null> {
  const limiting = allowance?.() ?? null;
  if (limiting === null) return null;
  const taken = yield* known(limiting.take(prepared));
  if (taken.kind === "refused") return taken.result;
  active.taken = taken;
  const { by } = active.cancellation;
  return by === null ? null : cancelled(by, false);
}

/** The result instead of running it; null if it may run. */
function* mayNotRun({ cancellation }: ActiveCall, checking: Promise<ToolResult | null>): Stage<ToolResult | null> {
  const refusal = yield* known(checking);
  return refusal ?? (cancellation.by === null ? null : cancelled(cancellation.by, false));
}

function run(active: ActiveCall, judged: JudgedCall, ports: ExecutorPorts): Promise<Ran> {
  const { call, cancellation } = active;
  const { emit, limits, filters } = ports;
  const passing = filters?.passing(judged.prepared) ?? null;
  const behind = passing === null ? active.behind : filterBehind(active.behind, passing);
  const timeout = active.timeout ?? judged.prepared.tool.timeout ?? limits.timeout;
  const onProgress = ({ message, progress, total }: Progress): void => {
    if (active.state.kind !== "running") return;
    const progressMessage = passing === null ? message : passing(message);
    emit("tool.execution_progress", { toolCallId: call.id, progressMessage, progress, total });
  };
  return runTool(judged, { cancellation, timeout, behind, onProgress }, ports);
}

/** The client behind the call gets nothing in the middle of it that it would not get at the end. */
function filterBehind(behind: ActiveCall["behind"], passing: <T>(said: T) => T): ActiveCall["behind"] {
  const client = behind?.client;
  if (client === undefined) return behind;
  const filtered: PeerClient = {
    ...client,
    notify: (method, params) => client.notify(method, passing(params)),
    ask: (questions, signal) =>
      client.ask(
        new Map([...questions].map(([key, question]) => [key, { ...question, params: passing(question.params) }])),
        signal,
      ),
  };
  return { ...behind, client: filtered };
}
