import type { Config } from "../../config/config.ts";
import { toOverrides } from "../../config/to-overrides.ts";
import { toScene } from "../../config/to-scene.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { judgeServer } from "../../core/gates/policy.ts";
import { type Mode, NO_PROMOTIONS, type Scene } from "../../core/scene/scene.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { type Answer, explain } from "../../core/toolset/explain.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { BUILTIN_SETS } from "../../sources/builtin/definitions.ts";
import type { Source } from "../../sources/source.ts";
import { createEmitter, type Emitter } from "../events/emitter.ts";
import type { ExecuteOptions } from "../executor/executor.ts";
import { shareSignal } from "../executor/given-signal.ts";
import type { Outcome } from "../executor/outcome.ts";
import type { CallPart } from "../executor/stream.ts";
import { createRequest, type Request } from "../requests/request.ts";
import { type WantedSource, wantedServers } from "./configured-sources.ts";
import { createEngine, type Engine } from "./engine.ts";
import { createLiveTools } from "./live-tools.ts";
import { createPromotionState, type SavedPromotions, toSaved } from "./promotion-state.ts";
import { READ_RESULT } from "./result-source.ts";
import { createSearchSource } from "./search-source.ts";
import { createSearchUsage } from "./search-usage.ts";
import { createSearchVectors } from "./search-vectors.ts";
import type { CallResult, SessionCallOptions, SessionCalls } from "./session-calls.ts";
import type { SessionSetting } from "./setting.ts";

/** One conversation's tools: where they come from, what this run may see of them, and how that changes. */
export interface Session {
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
  /** Leaves no process, timer or handle behind. Twice is fine. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a session. Nobody waits for servers: it is ready at once, and their tools join when they arrive. */
export async function openSession(first: Config, setting: SessionSetting): Promise<Session> {
  let config = first;
  let scene: Scene | null = null;
  let closed: Promise<void> | null = null;
  let engine: Engine | null = null;
  const { today, newId } = setting.timing;
  const emitter = createEmitter({
    today,
    newId,
    onListenerError: (error) => setting.logger.error("a listener failed", error),
  });
  const changed = (): void => {
    scene = null;
    engine?.invalidate();
  };
  const live = createLiveTools({
    onChange: () => {
      if (instructionsChanged()) scene = null;
      engine?.invalidate();
    },
    onError: (source, error) => setting.logger.error(`${source.kind} ${source.name} could not list its tools`, error),
  });
  const running = new Map<string, Source>();
  const promotions = createPromotionState(setting.promoted ?? NO_PROMOTIONS, changed);
  const usage = createSearchUsage(setting.usage ?? NO_STORE, today, setting.logger.error);
  const search = createSearchSource({
    toolset: () => ready.toolset,
    sources: () => live.sources,
    usage,
    vectors: createSearchVectors(setting.embedder ?? null, setting.logger.error),
    onLoaded: promotions.load,
  });
  emitter.on("tool.execution_complete", ({ toolName, success, sentToModel }) => {
    if (!success || !sentToModel) return;
    promotions.touch(toolName);
    if (!usage.isWaiting) return;
    const entry = engine?.toolset.catalog.entries.find(({ wireName }) => wireName === toolName);
    if (entry !== undefined) usage.succeeded(entry.identity);
  });
  /** The search tool stands behind the catalog and comes from no source that lists it. */
  const sourceOf = (tool: Tool): Source | undefined =>
    tool === engine?.toolset.catalog.search.tool ? search : live.sourceOf(tool);

  const currentScene = (): Scene => {
    scene ??= toScene(config, { ...setting.facts(config, live.sources), sets: BUILTIN_SETS, promoted: promotions.now });
    return scene;
  };
  let lastInstructions = "";
  const instructionsChanged = (): boolean => {
    const now = JSON.stringify([...(setting.facts(config, live.sources).instructions ?? [])]);
    const differs = now !== lastInstructions;
    lastInstructions = now;
    return differs;
  };

  const tellMode = (previousMode: Mode): void => {
    const newMode = config.permissions.mode.value;
    if (newMode !== previousMode) emitter.emit("session.mode_changed", { previousMode, newMode });
  };

  const wanted = async (): Promise<readonly WantedSource[]> => {
    const now = currentScene();
    const servers = wantedServers(config, ({ name }) => judgeServer(name, now).length > 0, setting.place);
    return [...(await setting.sources(config)), ...servers];
  };

  /** Starts what is newly wanted and ends what is wanted no more; what stays is not touched. */
  const reconcile = async (): Promise<void> => {
    const list = await wanted();
    const keys = new Set(list.map(({ key }) => key));
    const ended = [...running].filter(([key]) => !keys.has(key));
    for (const [key] of ended) running.delete(key);
    const open = setting.open ?? ((one) => one.open());
    const opened = await Promise.all(
      list.filter(({ key }) => !running.has(key)).map(async (one) => [one.key, await open(one)] as const),
    );
    if (closed !== null) {
      await Promise.all(opened.map(([, source]) => source.close()));
      return;
    }
    for (const [key, source] of opened) {
      running.set(key, source);
      live.add(source);
    }
    await Promise.all(ended.map(([, source]) => live.remove(source)));
  };

  const close = (): Promise<void> => {
    closed ??= (async () => {
      setting.signal.removeEventListener("abort", onAbort);
      const failed = (error: unknown): void =>
        setting.logger.error("something of the session could not be closed", error);
      // Whatever fails or hangs at its end keeps no source running.
      await calling?.then((made) => made.close()).catch(failed);
      emitter.close();
      const stored = usage.close().catch(failed);
      await live.close();
      running.clear();
      await stored;
    })();
    return closed;
  };

  const onAbort = (): void => void close();

  let calling: Promise<SessionCalls> | null = null;
  let called: SessionCalls | null = null;
  const calls = (): Promise<SessionCalls> => {
    calling ??= import("./session-calls.ts").then(async ({ createSessionCalls }) => {
      called = await createSessionCalls({
        setting,
        config: () => config,
        toolset: () => (engine === null ? null : engine.toolset),
        sourceOf,
        emit: emitter.emit,
        onPrompt: nextTurn,
        onKept: keepReadable,
      });
      // Nobody else would close it, and it must run nothing.
      if (closed !== null) await called.close();
      return called;
    });
    return calling;
  };
  let reader: Source | null = null;
  /** A long result that no file tool can read needs somebody who can, from then on. */
  const keepReadable = (path: string, reading: Source): boolean => {
    if (reader !== null) return true;
    const workspace = setting.calls?.workspace ?? null;
    const isInside = workspace !== null && path.startsWith(workspace);
    const isOpen = engine?.toolset.placements.some(
      ({ entry: { tool }, standing }) => standing === "visible" && tool.source === "builtin" && tool.name === "view",
    );
    const isTaken = live.tools.some(({ name, source }) => name === READ_RESULT.name && source !== "mcp");
    if ((isInside && isOpen) || isTaken || closed !== null) return false;
    reader = reading;
    live.add(reading);
    return true;
  };
  let loadedPlace: "request" | "history" = "request";
  const nextTurn = (): void => {
    if (loadedPlace === "request" && engine !== null) promotions.trim(engine.toolset);
  };

  // What happens while the session opens is told once whoever opened it can listen.
  let early: (() => void)[] | null = [];
  setting.attach({
    emit: (name, data) => {
      if (early === null) emitter.emit(name, data);
      else early.push(() => emitter.emit(name, data));
    },
    changed,
    setMode(value, origin) {
      const before = config.permissions.mode.value;
      config = { ...config, permissions: { ...config.permissions, mode: { value, origin } } };
      changed();
      tellMode(before);
    },
    callTool: async (identity, args, { toolCallId, signal }) =>
      (await calls()).call(identity, args, { id: `${toolCallId}.${identity}`, signal }),
  });
  try {
    await reconcile();
    await live.refresh(AbortSignal.timeout(FIRST_LISTS));
    engine = createEngine({
      live,
      emitter,
      scene: currentScene,
      overrides: () => toOverrides(config),
      style: () => config.wireNames.value,
      notices: () => [...config.notices, ...setting.notices()],
      leftOut: () => setting.leftOut?.(config) ?? [],
    });
  } catch (error) {
    await close();
    throw error;
  }
  const ready = engine;
  const waiting = early;
  early = null;
  setImmediate(() => {
    for (const tell of waiting) tell();
  });
  shareSignal(setting.signal).addEventListener("abort", onAbort, { once: true });
  if (setting.signal.aborted) {
    await close();
    setting.signal.throwIfAborted();
  }

  return {
    id: setting.id,
    get toolset() {
      return ready.toolset;
    },
    get sources() {
      return live.sources;
    },
    sourceOf,
    get config() {
      return config;
    },
    why: (name) => explain(ready.toolset, name),
    request: () => createRequest(ready.toolset, () => ready.toolset, sourceOf),
    async reconfigure(next) {
      if (closed !== null) throw new ToolcribError("session.closed", "the session is closed; open another one");
      const before = config;
      config = next;
      scene = null;
      try {
        ready.rebuild();
      } catch (error) {
        config = before;
        scene = null;
        throw error;
      }
      tellMode(before.permissions.mode.value);
      await reconcile();
    },
    renewScene: changed,
    async refresh(signal = setting.signal) {
      await live.refresh(signal);
      ready.invalidate();
    },
    settled: (signal = setting.signal) => live.settled(signal),
    call: async (name, args, options) => (await calls()).call(name, args, options),
    async *executeCalls(request, parts, options) {
      yield* (await calls()).execute(request, parts, options);
    },
    get promotions() {
      return toSaved(promotions.now);
    },
    nextTurn,
    loadsInto(place) {
      loadedPlace = place;
    },
    calls,
    get hasCalls() {
      return (called?.executor.states.length ?? 0) > 0;
    },
    interrupt: () => called?.executor.interrupt(),
    on: emitter.on,
    close,
    [Symbol.asyncDispose]: close,
  };
}

const NO_STORE = { store: null, tenant: "" } as const;

/** Milliseconds for sources that answer from memory; those that must be started are not waited for. */
const FIRST_LISTS = 2_000;
