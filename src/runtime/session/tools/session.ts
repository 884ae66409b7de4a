import type { Config } from "../../../config/config.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { type Answer, explain } from "../../../core/toolset/explain.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import type { Source } from "../../../sources/source.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { ExecuteOptions } from "../../executor/executor.ts";
import { shareSignal } from "../../executor/given-signal.ts";
import type { Outcome } from "../../executor/outcome.ts";
import type { CallPart } from "../../executor/stream.ts";
import { createRequest, type Request } from "../../requests/request.ts";
import type { CallResult } from "../calls/call-types.ts";
import type { SessionCallOptions, SessionCalls } from "../calls/session-calls.ts";
import type { SavedPromotions } from "../search/promotion-state.ts";
import type { Engine } from "./engine.ts";
import { createFirstCalls, type FirstCalls } from "./first-calls.ts";
import { createWorldNotes } from "./keep-worlds.ts";
import { createSessionParts, type SessionParts } from "./session-parts.ts";
import type { SessionPorts, SessionSetting } from "./setting.ts";

/** One conversation's tools: where they come from, what this run may see of them, and how that changes. */
export interface OpenSession {
  readonly id: string;
  /** As of now; never changed in place. */
  readonly toolset: Toolset;
  readonly sources: readonly Source[];
  /** The source that listed a tool, while both are there. */
  sourceOf(tool: Tool): Source | undefined;
  readonly config: Config;
  why(name: string): Answer;
  /** The toolset for one model request, and the look-up of the calls it brings. */
  request(): Request;
  /** Takes over another configuration: sources that stay are kept running, the others come and go. */
  reconfigure(config: Config): Promise<void>;
  /** What surrounds the session changed: the scene is made anew. */
  renewScene(): void;
  /** Asks all sources for their lists again. */
  refresh(signal?: AbortSignal): Promise<void>;
  /** Waits until no source is starting any more, or a signal says to stop waiting: that of the session if absent. */
  settled(signal?: AbortSignal): Promise<void>;
  /** One call through every stage: hooks, permission, time-out, result. Takes any name that means one tool. */
  call(name: string, args?: unknown, options?: SessionCallOptions): Promise<CallResult>;
  /** The calls of one model reply, which was made with that request; results in request order. */
  executeCalls(
    request: Request,
    parts: AsyncIterable<CallPart> | Iterable<CallPart>,
    options?: ExecuteOptions,
  ): AsyncGenerator<Outcome, void, void>;
  /** What searches have loaded, to be kept for `promoted` of a later session. */
  readonly promotions: SavedPromotions;
  /** Loads what was loaded for the same client elsewhere, beside what is loaded here. */
  joinPromotions(others: SavedPromotions): void;
  /** A new user message begins: loaded tools that were of use longest ago go, where all are over the budget. */
  nextTurn(): void;
  /** Says where loaded tools stand: in every request, or in the history, where letting one go would save nothing. */
  loadsInto(place: "request" | "history"): void;
  /** Everything around calls, loaded on first use. */
  calls(): Promise<SessionCalls>;
  /** A call has not ended yet. */
  readonly hasCalls: boolean;
  /** The user said something new: calls that have not started are cancelled, and so are running ones that may be. */
  interrupt(): void;
  readonly on: Emitter["on"];
  /** Hears events before they are stored; for what the session itself is made of. */
  readonly live: Emitter["live"];
  /** Waits until everything that happened so far is stored; at once where nothing is. */
  stored(): Promise<void>;
  /** Leaves no process, timer or handle behind. Twice is fine. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a session. Nobody waits for servers: it is ready at once, and their tools join when they arrive. */
export async function openSession(first: Config, setting: SessionSetting): Promise<OpenSession> {
  let closed: Promise<void> | null = null;
  const parts = createSessionParts(
    first,
    setting,
    () => closed !== null,
    async () => (await calls.load()).executor,
  );
  setting.audit?.watch({ id: setting.id, on: parts.emitter.on, config: () => parts.state.config });
  const calls = createFirstCalls(parts, setting);
  const close = (): Promise<void> => {
    closed ??= (async () => {
      setting.signal.removeEventListener("abort", onAbort);
      const failed = (error: unknown): void =>
        setting.logger.error("something of the session could not be closed", error);
      // Whatever fails or hangs at its end keeps no source running.
      await calls.close().catch(failed);
      await parts.close().catch(failed);
      await setting.audit?.close().catch(failed);
    })();
    return closed;
  };
  const onAbort = (): void => void close();
  const early = tellLater(parts.emitter);
  setting.attach({
    emit: early.emit,
    changed: parts.state.renew,
    setMode: parts.state.setMode,
    callTool: async (identity, args, { toolCallId, signal }) =>
      (await calls.load()).call(identity, args, { id: `${toolCallId}.${identity}`, signal }),
  });
  let engine: Engine;
  try {
    await parts.reconcile();
    await parts.live.refresh(AbortSignal.timeout(FIRST_LISTS));
    engine = parts.build();
  } catch (error) {
    await close();
    throw error;
  }
  early.open();
  shareSignal(setting.signal).addEventListener("abort", onAbort, { once: true });
  if (setting.signal.aborted) {
    await close();
    setting.signal.throwIfAborted();
  }
  return toSession(parts, engine, calls, setting, close);
}

/** Milliseconds for sources that answer from memory; those that must be started are not waited for. */
const FIRST_LISTS = 2_000;

function toSession(
  { emitter, live, search, state, sourceOf, reconcile, isClosed }: SessionParts,
  engine: Engine,
  calls: FirstCalls,
  { id, signal: own, recorder }: SessionSetting,
  close: () => Promise<void>,
): OpenSession {
  const noteWorld = recorder && createWorldNotes(recorder, emitter.emit, () => state.config);
  const executeFirst: OpenSession["executeCalls"] = async function* (...given) {
    yield* (await calls.load()).execute(...given);
  };
  return {
    id,
    get toolset() {
      return engine.toolset;
    },
    get sources() {
      return live.sources;
    },
    sourceOf,
    get config() {
      return state.config;
    },
    why: (name) => explain(engine.toolset, name),
    request() {
      const { toolset } = engine;
      noteWorld?.(toolset);
      return createRequest(toolset, () => engine.toolset, sourceOf);
    },
    async reconfigure(next) {
      if (isClosed()) throw new ToolcribError("session.closed", "the session is closed; open another one");
      state.replace(next, engine.rebuild);
      await reconcile();
    },
    renewScene: state.renew,
    async refresh(signal = own) {
      await live.refresh(signal);
      engine.invalidate();
    },
    settled: (signal = own) => live.settled(signal),
    call: async (name, args, options) => (await calls.load()).call(name, args, options),
    executeCalls: (...given) => calls.now?.execute(...given) ?? executeFirst(...given),
    get promotions() {
      return search.saved;
    },
    joinPromotions: search.join,
    nextTurn: search.nextTurn,
    loadsInto: search.loadsInto,
    calls: calls.load,
    get hasCalls() {
      return (calls.now?.executor.states.length ?? 0) > 0;
    },
    interrupt: () => calls.now?.executor.interrupt(),
    on: emitter.on,
    live: emitter.live,
    stored: async () => recorder?.stored(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What happens while the session opens is told once whoever opened it can listen. */
function tellLater(emitter: Emitter): { readonly emit: SessionPorts["emit"]; open(): void } {
  let waiting: (() => void)[] | null = [];
  return {
    emit(name, data, agent) {
      if (waiting === null) emitter.emit(name, data, agent);
      else waiting.push(() => emitter.emit(name, data, agent));
    },
    open() {
      const told = waiting ?? [];
      waiting = null;
      setImmediate(() => {
        for (const tell of told) tell();
      });
    },
  };
}
