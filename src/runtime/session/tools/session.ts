import type { Config } from "../../../config/config.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import { type Answer, explain } from "../../../core/toolset/explain.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import type { AgentsPort } from "../../../sources/agents-port.ts";
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
import { createWorldNotes } from "./keep-worlds.ts";
import { closeParts, createSessionParts, type SessionParts } from "./session-parts.ts";
import { createSessionEmitter, type SessionSetting } from "./setting.ts";

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
  /** Hears when it has taken over another configuration. */
  readonly reconfigured: (listener: () => void) => () => void;
  /** Takes over another configuration: sources that stay are kept running, the others come and go. */
  reconfigure(config: Config): Promise<void>;
  /** The session's surroundings changed: the scene is rebuilt. */
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

/** What a session has from the start, before its sources run: for what works beside it. */
export type SessionBase = Pick<OpenSession, "id" | "config" | "reconfigured" | "sources" | "on" | "live" | "stored">;

/** A session that has all its parts, and has started nothing. */
export interface PreparedSession {
  readonly base: SessionBase;
  /** Nobody waits for servers: it is ready at once, and their tools join when they arrive. */
  open(agents: AgentsPort | null): Promise<OpenSession>;
}

export function openSession(first: Config, setting: SessionSetting): Promise<OpenSession> {
  return prepareSession(first, setting, createSessionEmitter(setting)).open(null);
}

export function prepareSession(first: Config, setting: SessionSetting, emitter: Emitter): PreparedSession {
  const { id, signal, audit, journal } = setting;
  const parts = createSessionParts(first, setting, emitter);
  const { state, live, engine } = parts;
  audit?.watch({ id, on: emitter.on, config: () => state.config });
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => {
    signal.removeEventListener("abort", onAbort);
    closed ??= closeParts(parts);
    return closed;
  };
  const onAbort = (): void => void close();
  const base: SessionBase = {
    ...{ id, on: emitter.on, live: emitter.live, reconfigured: state.replaced },
    stored: async () => journal?.recorder.stored(),
    get config() {
      return state.config;
    },
    get sources() {
      return live.sources;
    },
  };
  return {
    base,
    async open(agents) {
      const reconcile = parts.reconciler(agents);
      try {
        await reconcile();
        await live.refresh(AbortSignal.timeout(FIRST_LISTS));
        engine.rebuild();
      } catch (error) {
        await close();
        throw error;
      }
      parts.announce();
      shareSignal(signal).addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) {
        await close();
        signal.throwIfAborted();
      }
      return toSession(parts, base, reconcile, close);
    },
  };
}

/** Milliseconds for sources that answer from memory; those that must be started are not waited for. */
const FIRST_LISTS = 2_000;

function toSession(
  parts: SessionParts,
  base: SessionBase,
  reconcile: () => Promise<void>,
  close: () => Promise<void>,
): OpenSession {
  const { emitter, live, search, state, engine, calls, changed, closing } = parts;
  const { journal, signal: own } = parts.setting;
  const noteWorld = journal && createWorldNotes(journal.recorder, emitter.emit, () => state.config);
  let made: Request | null = null;
  const executeFirst: OpenSession["executeCalls"] = async function* (...given) {
    yield* (await calls.load()).execute(...given);
  };
  return {
    ...{ id: base.id, on: base.on, live: base.live, stored: base.stored, reconfigured: base.reconfigured },
    get toolset() {
      return engine.toolset;
    },
    get sources() {
      return live.sources;
    },
    sourceOf: calls.sourceOf,
    get config() {
      return state.config;
    },
    why: (name) => explain(engine.toolset, name),
    request() {
      const { toolset } = engine;
      noteWorld?.(toolset);
      if (made?.toolset !== toolset) made = createRequest(toolset, () => engine.toolset, calls.sourceOf);
      return made;
    },
    async reconfigure(next) {
      if (closing.signal.aborted) throw new ToolcribError("session.closed", "the session is closed; open another one");
      parts.replace(next);
      await reconcile();
    },
    renewScene: changed,
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
    close,
    [Symbol.asyncDispose]: close,
  };
}
