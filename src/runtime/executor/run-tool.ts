import type { Call, CodeLine } from "../../core/call/call.ts";
import type { Cancelling } from "../../core/call/cancelling.ts";
import { fromThrown, type ToolResult } from "../../core/call/tool-result.ts";
import { isToolcribError } from "../../core/codes/toolcrib-error.ts";
import { atLine, type PeerClient } from "../../sources/peer.ts";
import { IN_PROCESS, type Progress, type RunContext } from "../../sources/source.ts";
import { createPausableTimer, type PausableTimer } from "../../system/time/pausable-timer.ts";
import { type Cancellation, cancelled } from "./cancellation.ts";
import { insideCall } from "./current-call.ts";
import type { JudgedCall } from "./judge-call.ts";
import { reportOutsideCall } from "./outside-events.ts";
import type { ExecutorPorts } from "./ports.ts";

/** What servers may know about the client that makes a call. */
export type Behind = Pick<RunContext, "client" | "meta">;

export interface Ran {
  readonly result: ToolResult;
  /** Resolves when the source has finished with the call, which may never happen; null if it has. */
  readonly settled: Promise<unknown> | null;
}

/** Says nothing about the server, like every text about an exception (X8); but repeating such a call may do harm. */
const LOST =
  "The tool's server went away during the call, so there is no result. Whether the call had an effect is unknown.";

function isLost(error: unknown): boolean {
  return isToolcribError(error) && error.code === "mcp.disconnected";
}

const nothing = (): void => {};

/** What a run depends on besides its call. */
interface RunTies {
  readonly cancellation: Cancellation;
  /** Milliseconds. */
  readonly timeout: number;
  readonly behind: Behind | null;
  readonly onProgress: (progress: Progress) => void;
}

/** Fifth stage: one run of the tool, ended by its result, its time-out or a cancellation, whichever is first. */
export function runTool(
  { prepared, reach: reachOf }: Pick<JudgedCall, "prepared" | "reach">,
  { cancellation, timeout, behind, onProgress }: RunTies,
  ports: Pick<ExecutorPorts, "sessionId" | "clock" | "onError" | "emit" | "newId">,
): Promise<Ran> {
  const { call, tool, source, args } = prepared;
  const { clock, sessionId } = ports;
  if (cancellation.by !== null) return Promise.resolve({ result: cancelled(cancellation.by, false), settled: null });
  const { manner = IN_PROCESS } = source;
  const isElsewhere = manner.isElsewhere || source.onlyAsks?.(tool) === true;
  const limit = manner.slack === null ? null : timeout + manner.slack;
  const timer = limit === null ? null : createPausableTimer(clock, limit, () => cancellation.cancel("timeout"));
  const reach = manner.opensPlaces ? reachOf(prepared) : {};
  const own = new CallContext(sessionId, call, cancellation, onProgress, behind, timer);
  // Other sources may spread their context, and would miss what is only a getter.
  const context: RunContext = isElsewhere ? own : { ...own, signal: cancellation.signal, ...reach };
  const failed = (error: unknown): ToolResult => {
    if (cancellation.by === null) ports.onError(`${source.kind} ${source.name} failed to run ${tool.name}`, error);
    return isElsewhere && isLost(error) ? { ...fromThrown(error), textResultForLlm: LOST } : fromThrown(error);
  };
  const emitEnd = manner.isAnsweredOutside ? reportOutsideCall(prepared, ports) : null;
  const run = (): Promise<ToolResult> => {
    try {
      // A handler may change its arguments; a server gets them as text.
      return source.run(tool, isElsewhere ? args : structuredClone(args), context);
    } catch (error) {
      return Promise.reject(error);
    }
  };
  // A server calls nothing from inside this process, and tracking it would make every promise here slower.
  const work: Promise<ToolResult> = isElsewhere ? run() : insideCall({ id: call.id, sessionId }, run);
  return new Promise((resolve) => {
    let unsubscribe = nothing;
    const finish = (ran: Ran): void => {
      unsubscribe();
      timer?.stop();
      emitEnd?.(ran.result.resultType);
      resolve(ran);
    };
    unsubscribe = cancellation.onCancel(() =>
      finish({ result: stopped(cancellation.by ?? "user", limit ?? 0), settled: own.end(work) }),
    );
    work.then(
      (result) => finish({ result, settled: own.end(null) }),
      (error: unknown) => finish({ result: failed(error), settled: own.end(null) }),
    );
  });
}

/** A source may want the call's signal, but most do not, so it is created lazily. */
class CallContext implements RunContext {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly cancelling: Cancelling;
  readonly onProgress: (progress: Progress) => void;
  readonly client?: PeerClient;
  readonly meta?: Readonly<Record<string, unknown>>;
  readonly codeLine?: CodeLine;
  readonly #timer: PausableTimer | null;
  /** Work that goes on after its answer; nearly always none. */
  #left: Promise<unknown>[] | null = null;

  constructor(
    sessionId: string,
    { id, codeLine }: Call,
    cancelling: Cancelling,
    onProgress: (progress: Progress) => void,
    behind: Behind | null,
    timer: PausableTimer | null,
  ) {
    this.sessionId = sessionId;
    this.toolCallId = id;
    this.cancelling = cancelling;
    this.onProgress = onProgress;
    this.#timer = timer;
    if (behind?.client !== undefined) this.client = atLine(behind.client, codeLine);
    if (behind?.meta !== undefined) this.meta = behind.meta;
    if (codeLine !== undefined) this.codeLine = codeLine;
  }

  get signal(): AbortSignal {
    return this.cancelling.signal;
  }

  readonly stillRuns = (work: Promise<unknown>): void => {
    this.#left ??= [];
    this.#left.push(work);
  };

  /** The end of what the source has not answered yet, and of all that goes on; null if there is nothing. */
  end(unanswered: Promise<unknown> | null): Promise<unknown> | null {
    const rest = () => this.end(null);
    if (unanswered !== null) return unanswered.then(rest, rest);
    return this.#left === null ? null : Promise.allSettled(this.#left);
  }

  readonly onWaiting = (waiting: boolean): void => (waiting ? this.#timer?.pause() : this.#timer?.resume());
}

function stopped(by: NonNullable<Cancellation["by"]>, timeout: number): ToolResult {
  const result = cancelled(by, true);
  if (by !== "timeout") return result;
  return {
    ...result,
    textResultForLlm: `The tool did not answer within ${timeout / 1000} s. It was told to stop; whether it had an effect is unknown.`,
  };
}
