import type { Call } from "../../core/call/call.ts";
import { type Cancelling, fromSignal } from "../../core/call/cancelling.ts";
import { whenKnown } from "../../core/call/eventual.ts";
import type { CallEvents } from "../../core/events/event-types.ts";
import type { Request } from "../requests/request.ts";
import type { CallState } from "./call-state.ts";
import { hasStarted } from "./call-state.ts";
import {
  type Cancellation,
  cancelled,
  createCancellation,
  orCancelled,
  type ReleasableCancellation,
} from "./cancellation.ts";
import { deliverInOrder } from "./deliver-in-order.ts";
import { type ActiveCall, type CallEnd, executeCall } from "./execute-call.ts";
import { shareSignal } from "./given-signal.ts";
import type { Outcome } from "./outcome.ts";
import type { ExecutorPorts } from "./ports.ts";
import { type Behind, type CurrentCall, currentCallOf } from "./run-call.ts";
import { type CallPart, CONFIRMED, type Confirmation, createConfirmation } from "./stream.ts";

export interface ExecuteOptions {
  /** Aborting it cancels every call that has not ended, as the user. */
  readonly signal?: AbortSignal;
}

export interface CallOptions extends ExecuteOptions {
  /** The same as `signal`, for those who have one of these. */
  readonly cancelling?: Cancelling;
  /** Milliseconds, in place of the tool's own. */
  readonly timeout?: number;
  /**
   * The client of the Model Context Protocol that makes the call. It keeps the order of its own calls, so one about
   * which somebody is being asked holds up no other; and servers keep their own house.
   */
  readonly behind?: Behind;
}

/** Runs calls: each through every stage, as many beside each other as may be, with results in request order. */
export interface Executor {
  /** Calls of one model reply. Breaking off the loop cancels what has not ended. */
  execute(
    request: Request,
    parts: AsyncIterable<CallPart> | Iterable<CallPart>,
    options?: ExecuteOptions,
  ): AsyncGenerator<Outcome, void, void>;
  /** One call that is complete and meant. */
  call(request: Request, call: Call, options?: CallOptions): Promise<Outcome>;
  /** Of all calls that have no result yet, or whose source has not let go of them. */
  readonly states: readonly CallState[];
  /** The user said something new: what has not started is cancelled, and what runs unless it wants to finish. */
  interrupt(): void;
  /** Cancels everything as a shutdown, and resolves when all of it has ended. Twice is fine. */
  close(): Promise<void>;
}

interface Started {
  readonly active: ActiveCall;
  readonly outcome: Promise<Outcome>;
}

/** What a call hangs on. */
interface Ties {
  readonly cancellation: ReleasableCancellation;
  /** The other calls of the same model reply; null for a call that was made alone. */
  readonly batch: { readonly cancellation: Cancellation; readonly members: ReadonlySet<ActiveCall> } | null;
  readonly confirmation: Confirmation;
  readonly timeout: number | null;
  /** The call inside which it was made. */
  readonly parent: ActiveCall | null;
  readonly behind: Behind | null;
}

export function createExecutor(ports: ExecutorPorts): Executor {
  const shutdown = createCancellation();
  /** Null while the call is being started, from where it may make calls already. */
  const calls = new Map<ActiveCall, Promise<Outcome> | null>();
  const lingering = new Set<ActiveCall>();

  const start = (call: Call, request: Request, ties: Ties): Started => {
    const { cancellation, confirmation, timeout, parent, behind } = ties;
    // The place in the queue is taken here, before anything is awaited: that is what keeps request order.
    const slot = parent === null && behind === null ? ports.scheduler.reserve(mayExclude(call, request)) : null;
    const left = parent === null ? null : createSignal();
    const active: ActiveCall = {
      call,
      request,
      cancellation,
      confirmation,
      slot,
      parentId: parent?.call.id ?? null,
      depth: parent === null ? 0 : parent.depth + 1,
      timeout,
      behind,
      inner: null,
      onLeave: () => {
        lingering.delete(active);
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
    const arrived = ports.clock.now();
    calls.set(active, null);
    const conclude = (ended: CallEnd): Outcome => {
      cancellation.release();
      const outcome = toOutcome(active, ended, cancellation);
      calls.delete(active);
      if (active.state.kind === "lingering") lingering.add(active);
      tellComplete(active, outcome, ports.clock.now() - arrived, ports);
      return outcome;
    };
    const outcome = executeCall(active, ports).then((ended) => {
      if (ties.batch === null) return conclude(ended);
      if (abortsSiblings(active, ended))
        for (const other of ties.batch.members) if (other !== active) other.cancellation.cancel("sibling");
      const known = confirmation.state === "open" ? confirmation.settled : null;
      return whenKnown(orCancelled(known, ties.batch.cancellation), () => conclude(ended));
    });
    calls.set(active, outcome);
    return { active, outcome };
  };

  return {
    execute(request, parts, { signal } = {}) {
      const cancellation = createCancellation(shutdown, signal === undefined ? null : fromSignal(shareSignal(signal)));
      const batch = { cancellation, members: new Set<ActiveCall>() };
      return deliverInOrder(parts, {
        cancellation,
        release: () => cancellation.release(),
        start: (call) => {
          const confirmation = createConfirmation();
          const started = start(call, request, {
            cancellation: createCancellation(cancellation),
            batch,
            confirmation,
            timeout: null,
            parent: null,
            behind: null,
          });
          batch.members.add(started.active);
          return started;
        },
      });
    },
    call(request, call, { signal, cancelling, timeout = null, behind = null } = {}) {
      const inside = currentCallOf(ports.sessionId);
      const parent = inside === null ? null : findActive(calls, inside);
      const given = cancelling ?? (signal === undefined ? null : fromSignal(shareSignal(signal)));
      const cancellation = createCancellation(parent?.cancellation ?? shutdown, given);
      const ties = { cancellation, batch: null, confirmation: CONFIRMED, timeout, parent, behind };
      return start(call, request, ties).outcome;
    },
    get states() {
      return [...calls.keys(), ...lingering].map(({ state }) => state);
    },
    interrupt() {
      for (const active of calls.keys()) {
        const found = active.request.find(active.call.toolName);
        const finishes = found.kind === "found" && found.tool.traits.interrupt === "finish";
        if (!(hasStarted(active.state) && finishes)) active.cancellation.cancel("user");
      }
    },
    async close() {
      shutdown.cancel("shutdown");
      await Promise.allSettled(calls.values());
    },
  };
}

function createSignal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((given) => {
    resolve = given;
  });
  return { promise, resolve };
}

function mayExclude({ toolName }: Call, request: Request): boolean {
  const found = request.find(toolName);
  return found.kind === "found" && !(found.tool.traits.readOnly && found.tool.traits.concurrencySafe);
}

/** X7: an opt-in of the tool, for nothing by default; a call that was cancelled itself drags nobody along. */
function abortsSiblings({ call, request }: ActiveCall, { result }: CallEnd): boolean {
  if (result.resultType !== "failure" || result.cancelledBy !== undefined) return false;
  const found = request.find(call.toolName);
  return found.kind === "found" && found.tool.traits.abortSiblings;
}

/** A call that the model never confirmed has no result but that, even if it ran already (X6). */
function toOutcome({ call, confirmation, state }: ActiveCall, ended: CallEnd, cancellation: Cancellation): Outcome {
  const sendToModel = confirmation.state === "confirmed";
  const result = sendToModel ? ended.result : cancelled(cancellation.by ?? "refusal", hasStarted(state));
  const { arguments: given, additionalContext, endTurn } = ended;
  return { call, result, arguments: given, additionalContext, sendToModel, endTurn };
}

function tellComplete(
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
  if (ran !== null) completed.ran = ran;
  if (typeof traceparent === "string") completed.traceparent = traceparent;
  ports.emit("tool.execution_complete", completed);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

function findActive(
  calls: ReadonlyMap<ActiveCall, unknown>,
  { id, isDeciding = false }: CurrentCall,
): ActiveCall | null {
  for (const active of calls.keys()) {
    if (active.call.id !== id) continue;
    const { kind } = active.state;
    if (kind === "running" || (isDeciding && (kind === "judging" || kind === "asking" || kind === "finishing")))
      return active;
  }
  return null;
}
