import type { Call } from "../../core/call/call.ts";
import { type Cancelling, fromSignal } from "../../core/call/cancelling.ts";
import { known, runStage, type Stage } from "../../core/call/eventual.ts";
import type { CallEvents } from "../../core/events/event-types.ts";
import type { Traits } from "../../core/tool/traits.ts";
import type { PeerClient } from "../../sources/peer.ts";
import { createPassingMap, type PassingMap } from "../../system/passing.ts";
import { createDeferred } from "../../system/time/deferred.ts";
import type { Request } from "../requests/request.ts";
import type { ActiveCall } from "./active-call.ts";
import type { CallState } from "./call-state.ts";
import { hasStarted } from "./call-state.ts";
import {
  type Cancellation,
  cancelled,
  createCancellation,
  orCancelled,
  type ReleasableCancellation,
} from "./cancellation.ts";
import { type CurrentCall, currentCallOf } from "./current-call.ts";
import { deliverInOrder } from "./deliver-in-order.ts";
import { type CallEnd, executeCall } from "./execute-call.ts";
import { shareSignal } from "./given-signal.ts";
import type { Outcome } from "./outcome.ts";
import type { ExecutorPorts } from "./ports.ts";
import type { Behind } from "./run-tool.ts";
import type { CallSlot, Scheduler } from "./scheduler.ts";
import { type CallPart, CONFIRMED, type Confirmation, createConfirmation } from "./stream.ts";

export interface ExecuteOptions {
  /** Aborting it cancels every call that has not ended, as the user. */
  readonly signal?: AbortSignal;
}

export interface CallOptions extends ExecuteOptions {
  /** The same as `signal`, for callers that have a `Cancelling`. */
  readonly cancelling?: Cancelling;
  /** Milliseconds, instead of the tool's own limit. */
  readonly timeout?: number;
  /**
   * The client of the Model Context Protocol that makes the call. It orders its own calls, so one that waits for an
   * answer blocks no other; and servers limit their own load.
   */
  readonly behind?: Behind;
}

interface InsideOptions {
  readonly request: Request;
  /** The client that makes it, instead of the client of its parent call. */
  readonly client?: PeerClient | undefined;
  /** Bytes of its result that the caller can take. */
  readonly resultBytes: number;
}

/** Runs calls: each through every stage, as many in parallel as allowed, with results in request order. */
export interface Executor {
  /** Calls of one model reply. Breaking out of the loop cancels what has not ended. */
  execute(
    request: Request,
    parts: AsyncIterable<CallPart> | Iterable<CallPart>,
    options?: ExecuteOptions,
  ): AsyncGenerator<Outcome, void, void>;
  /** One complete and confirmed call. */
  call(request: Request, call: Call, options?: CallOptions): Promise<Outcome>;
  /** The request of a running call; null if it is not running. */
  requestOf(callId: string): Request | null;
  /** One call that a running call makes, for the same client; null if the parent is no longer running. */
  inside(parentId: string, call: Call, options: InsideOptions): Promise<Outcome> | null;
  /** The states of all calls without a result, or whose source has not stopped. */
  readonly states: readonly CallState[];
  /** The user sent something new: cancels what has not started, and what is running unless it wants to finish. */
  interrupt(): void;
  /** Cancels everything as a shutdown, and resolves when all calls have ended. Twice is fine. */
  close(): Promise<void>;
}

interface Started {
  readonly active: ActiveCall;
  readonly outcome: Promise<Outcome>;
}

/** What a call depends on. */
interface Ties {
  readonly cancellation: ReleasableCancellation;
  /** The other calls of the same model reply; null for a single call. */
  readonly batch: Batch | null;
  readonly confirmation: Confirmation;
  readonly timeout: number | null;
  /** The call inside which it was made. */
  readonly parent: ActiveCall | null;
  readonly behind: Behind | null;
  readonly resultBytes: number | null;
}

interface Batch {
  readonly cancellation: Cancellation;
  readonly members: Set<ActiveCall>;
}

/** All calls of an executor that have not ended, or whose source has not stopped. */
interface OpenCalls {
  /** Null while the call is starting, when it may already make calls. */
  readonly ending: PassingMap<ActiveCall, Promise<Outcome> | null>;
  readonly lingering: Set<ActiveCall>;
}

export function createExecutor(ports: ExecutorPorts): Executor {
  const shutdown = createCancellation();
  const open: OpenCalls = { ending: createPassingMap(), lingering: new Set() };
  return {
    execute(request, parts, { signal } = {}) {
      const cancellation = createCancellation(shutdown, signal === undefined ? null : fromSignal(shareSignal(signal)));
      const batch: Batch = { cancellation, members: new Set() };
      const alone = { batch, timeout: null, parent: null, behind: null, resultBytes: null };
      return deliverInOrder(parts, {
        cancellation,
        release: () => cancellation.release(),
        start: (call) => {
          const ties = { ...alone, cancellation: createCancellation(cancellation), confirmation: createConfirmation() };
          ports.early?.follow(call.id, ties.confirmation);
          const started = start(call, request, ties, open, ports);
          batch.members.add(started.active);
          return started;
        },
      });
    },
    call(request, call, { signal, cancelling, timeout = null, behind = null } = {}) {
      const parent = findParent(call, open, ports);
      const given = cancelling ?? (signal === undefined ? null : fromSignal(shareSignal(signal)));
      const cancellation = createCancellation(parent?.cancellation ?? shutdown, given);
      const ties = tie(cancellation, timeout, parent, behind, null);
      return start(parent === null ? call : { ...call, parentId: parent.call.id }, request, ties, open, ports).outcome;
    },
    requestOf: (callId) => findRunning(callId, open)?.request ?? null,
    inside(parentId, call, { request, client, resultBytes }) {
      const parent = findRunning(parentId, open);
      if (parent === null) return null;
      const cancellation = createCancellation(parent.cancellation);
      const behind = client === undefined ? parent.behind : { ...parent.behind, client };
      const ties = tie(cancellation, null, parent, behind, resultBytes);
      return start({ ...call, parentId }, request, ties, open, ports).outcome;
    },
    get states() {
      return [...open.ending.keys(), ...open.lingering].map(({ state }) => state);
    },
    interrupt() {
      for (const active of open.ending.keys()) {
        const finishes = promises(active, ({ interrupt }) => interrupt === "finish");
        if (!(hasStarted(active.state) && finishes)) active.cancellation.cancel("user");
      }
    },
    async close() {
      shutdown.cancel("shutdown");
      await Promise.allSettled(open.ending.values());
    },
  };
}

/** Of a call of its own. Written out: adding to a copy takes several times as long. */
function tie(
  cancellation: ReleasableCancellation,
  timeout: number | null,
  parent: ActiveCall | null,
  behind: Behind | null,
  resultBytes: number | null,
): Ties {
  return { cancellation, batch: null, confirmation: CONFIRMED, timeout, parent, behind, resultBytes };
}

function start(call: Call, request: Request, ties: Ties, open: OpenCalls, ports: ExecutorPorts): Started {
  const active = toActive(call, request, ties, open, ports);
  const arrived = ports.clock.now();
  const { batch } = ties;
  const conclude = (ended: CallEnd): Outcome => {
    ties.cancellation.release();
    const outcome = toOutcome(active, ended, ties.cancellation);
    open.ending.delete(active);
    if (active.state.kind === "lingering") open.lingering.add(active);
    emitComplete(active, outcome, ports.clock.now() - arrived, ports);
    return outcome;
  };
  open.ending.set(active, null);
  const ending = Promise.resolve(runStage(executeCall(active, ports)));
  const outcome = ending.then(
    batch === null ? conclude : (ended) => runStage(endInBatch(active, ended, batch, conclude)),
  );
  open.ending.set(active, outcome);
  return { active, outcome };
}

function toActive(call: Call, request: Request, ties: Ties, open: OpenCalls, { scheduler }: ExecutorPorts): ActiveCall {
  const { cancellation, confirmation, timeout, parent, behind, resultBytes } = ties;
  const inParentSlot = parent !== null && !isWithoutSlot(parent);
  const left = parent === null ? null : createDeferred<void>();
  const active: ActiveCall = {
    call,
    request,
    cancellation,
    confirmation,
    // The slot in the queue is taken here, before anything is awaited: that preserves request order.
    slot: inParentSlot || behind !== null ? null : reserve(call, request, scheduler),
    inParentSlot,
    depth: parent === null ? 0 : parent.depth + 1,
    timeout,
    resultBytes,
    behind,
    inner: null,
    taken: null,
    onLeave: () => {
      open.lingering.delete(active);
      if (left !== null) parent?.inner?.delete(left.promise);
      left?.resolve();
    },
    state: { kind: "preparing", call },
    ran: null,
  };
  if (left !== null && parent !== null) {
    parent.inner ??= new Set();
    parent.inner.add(left.promise);
  }
  return active;
}

/** A call of a model's reply may cancel others, and ends only once the model has confirmed it or not. */
function* endInBatch(
  active: ActiveCall,
  ended: CallEnd,
  { members, cancellation }: Batch,
  conclude: (ended: CallEnd) => Outcome,
): Stage<Outcome> {
  if (abortsSiblings(active, ended))
    for (const other of members) if (other !== active) other.cancellation.cancel("sibling");
  if (active.confirmation.state === "open") yield* known(orCancelled(active.confirmation.settled, cancellation));
  return conclude(ended);
}

/** Whether neither a call nor its parents have a slot, so that calls inside it need their own (B11). */
function isWithoutSlot({ call, request, slot, inParentSlot }: ActiveCall): boolean {
  if (slot !== null || inParentSlot) return false;
  const found = request.find(call.toolName);
  return found.kind === "found" && found.source.manner?.queue === "never";
}

/** Null for calls that wait for no other and block none. */
function reserve(call: Call, request: Request, scheduler: Scheduler): CallSlot | null {
  const found = request.find(call.toolName);
  if (found.kind !== "found") return scheduler.reserve(false);
  const { readOnly, concurrencySafe } = found.tool.traits;
  return found.source.manner?.queue === "never" ? null : scheduler.reserve(!(readOnly && concurrencySafe));
}

/** What the tool of a call promises; false if there is none. */
function promises({ call, request }: ActiveCall, is: (traits: Traits) => boolean): boolean {
  const found = request.find(call.toolName);
  return found.kind === "found" && is(found.tool.traits);
}

/** X7: an opt-in of the tool, off by default; a call that was itself cancelled cancels no others. */
function abortsSiblings(active: ActiveCall, { result }: CallEnd): boolean {
  if (result.resultType !== "failure" || result.cancelledBy !== undefined) return false;
  return promises(active, (traits) => traits.abortSiblings);
}

/** A call that the model never confirmed has only that result, even if it already ran (X6). */
function toOutcome({ call, confirmation, state }: ActiveCall, ended: CallEnd, cancellation: Cancellation): Outcome {
  const sendToModel = confirmation.state === "confirmed";
  const result = sendToModel ? ended.result : cancelled(cancellation.by ?? "refusal", hasStarted(state));
  const { arguments: given, additionalContext, endTurn } = ended;
  return { call, result, arguments: given, additionalContext, sendToModel, endTurn };
}

function emitComplete(
  { call, behind, ran }: ActiveCall,
  { result, sendToModel, arguments: given }: Outcome,
  duration: number,
  ports: ExecutorPorts,
): void {
  const traceparent = behind?.meta?.traceparent;
  const completed: Mutable<CallEvents["tool.execution_complete"]> = {
    toolCallId: call.id,
    toolName: call.toolName,
    arguments: given,
    success: result.resultType === "success",
    resultType: result.resultType,
    content: result.textResultForLlm,
    error: result.error ?? null,
    sessionLog: result.sessionLog ?? null,
    toolTelemetry: result.toolTelemetry ?? null,
    cancelledBy: result.cancelledBy ?? null,
    duration,
    sentToModel: sendToModel,
  };
  if (result.code !== undefined) completed.code = result.code;
  if (ran !== null) completed.ran = ran;
  if (typeof traceparent === "string") completed.traceparent = traceparent;
  ports.emit("tool.execution_complete", completed);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

function findRunning(id: string, { ending }: OpenCalls): ActiveCall | null {
  for (const active of ending.keys()) if (active.call.id === id && active.state.kind === "running") return active;
  return null;
}

/** The call that it names as its parent, or else the one inside which the caller's code runs. */
function findParent({ parentId }: Call, { ending }: OpenCalls, { sessionId }: ExecutorPorts): ActiveCall | null {
  const inside = parentId === undefined ? currentCallOf(sessionId) : { id: parentId };
  if (inside === null) return null;
  const { id, isDeciding = false }: Partial<CurrentCall> = inside;
  for (const active of ending.keys()) {
    if (active.call.id !== id) continue;
    const { kind } = active.state;
    if (kind === "running" || (isDeciding && (kind === "judging" || kind === "asking" || kind === "finishing")))
      return active;
  }
  return null;
}
