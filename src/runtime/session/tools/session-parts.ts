import type { Config } from "../../../config/config.ts";
import { toOverrides } from "../../../config/to-overrides.ts";
import { judgeServer } from "../../../core/gates/policy.ts";
import { NO_PROMOTIONS } from "../../../core/scene/scene.ts";
import type { AgentsPort } from "../../../sources/agents-port.ts";
import { createChangeListeners } from "../../../sources/parts/change-listeners.ts";
import type { Source } from "../../../sources/source.ts";
import type { Emitter } from "../../events/emitter.ts";
import { noteElsewhere } from "../../report/named-elsewhere.ts";
import { noticeTroubles } from "../../report/source-trouble.ts";
import { createPromotionState, toSaved } from "../search/promotion-state.ts";
import { createSessionSearch, type SessionSearch } from "../search/session-search.ts";
import { wantedServers } from "../sources/configured-sources.ts";
import { createLiveTools, type LiveTools } from "../sources/live-tools.ts";
import { createReconciler } from "../sources/running-sources.ts";
import { createEngine, type Engine } from "./engine.ts";
import { createFirstCalls, type FirstCalls } from "./first-calls.ts";
import { createSessionHost } from "./session-host.ts";
import { createSessionScene } from "./session-scene.ts";
import { createSessionState, type SessionState } from "./session-state.ts";
import type { SessionSetting } from "./setting.ts";

/** What a session is made of. Nothing is started yet, and there is no toolset. */
export interface SessionParts {
  readonly setting: SessionSetting;
  readonly emitter: Emitter;
  readonly live: LiveTools;
  readonly state: SessionState;
  readonly engine: Engine;
  readonly search: SessionSearch;
  readonly calls: FirstCalls;
  /** What surrounds the session changed. */
  changed(): void;
  /** Takes another configuration over, or throws what stands in the way and changes nothing. */
  replace(config: Config): void;
  /** Starts and ends sources as the configuration wants them now; `agents` can work for this session. */
  reconciler(agents: AgentsPort | null): () => Promise<void>;
  /** Reports what happened while the session opened. */
  announce(): void;
  /** Aborted once the session is closed. */
  readonly closing: AbortController;
}

/** Each part is made of the ones before it. What reports changes tells `changes`, and what depends on them listens there. */
export function createSessionParts(first: Config, setting: SessionSetting, emitter: Emitter): SessionParts {
  const { logger, journal } = setting;
  const closing = new AbortController();
  const isClosed = (): boolean => closing.signal.aborted;
  const changes = createChangeListeners<Source | undefined>();
  const changed = (): void => changes.emit(undefined);
  const live = createLiveTools({
    onChange: changes.emit,
    onError: (source, error) => logger.error(`${source.kind} ${source.name} could not list its tools`, error),
  });
  const state = createSessionState(first, emitter.emit, changed);
  const promotions = createPromotionState(setting.promoted ?? NO_PROMOTIONS, (now) => {
    changed();
    if (journal) emitter.emit("session.promotions_changed", { promotions: toSaved(now) });
  });
  const early = holdBack(emitter);
  const host = createSessionHost(setting, { emit: early.emit, changed });
  const scene = createSessionScene(
    () => state.config,
    () => ({ ...host.facts(state.config, live.sources), promoted: promotions.now }),
  );
  const engine = createEngine({
    live,
    emitter,
    scene: () => scene.now,
    overrides: () => toOverrides(state.config),
    style: () => state.config.wireNames.value,
    notices: () => [...state.config.notices, ...host.notices()],
    weigh: (notices) => noteElsewhere(notices, state.config),
    leftOut: () => host.leftOut(state.config),
    troubles: (toolset) => noticeTroubles({ config: state.config, toolset, sources: live.sources }),
    toldTools: journal?.state.tools ?? null,
  });
  changes.add(scene.changed);
  // A server changes its list when it likes; what the session's own program or person changes holds at once.
  changes.add((source) => engine.invalidate(source?.manner?.isElsewhere ? "in-turn" : "shortly"));
  const search = createSessionSearch({ setting, config: first, emitter, engine, live, promotions });
  const calls = createFirstCalls({ setting, emitter, state, live, engine, search, host, isClosed });
  return {
    ...{ setting, emitter, live, state, engine, search, calls, changed, closing },
    replace(next) {
      try {
        scene.changed(undefined);
        state.replace(next, engine.rebuild);
      } catch (error) {
        scene.changed(undefined);
        throw error;
      }
    },
    reconciler: (agents) =>
      createReconciler({
        live,
        open: setting.open,
        isClosed,
        async wanted() {
          const { config } = state;
          const judge = (name: string, url?: string) => judgeServer(name, scene.now, url);
          const servers = wantedServers(config, judge, setting);
          const { setMode } = state;
          return [...(await host.sources(config, { agents, setMode, callTool: calls.callTool })), ...servers];
        },
      }),
    announce() {
      const release = early.release();
      // A turn of the event loop later, so that the program can listen first.
      setImmediate(() => {
        state.announce();
        engine.announce();
        release();
      });
    },
  };
}

/** What fails or hangs at its end keeps no source running. */
export async function closeParts({ setting, emitter, live, search, calls, closing }: SessionParts): Promise<void> {
  const { logger, journal, audit } = setting;
  const failed = (error: unknown): void => logger.error("something of the session could not be closed", error);
  closing.abort();
  await calls.close().catch(failed);
  try {
    await journal?.recorder.close();
    emitter.close();
    const stored = search.close().catch((error) => logger.error("what searches led to could not be stored", error));
    await calls.code.close();
    await live.close();
    await stored;
  } catch (error) {
    failed(error);
  }
  await audit?.close().catch(failed);
}

/** What happens while a session opens is reported once somebody can listen; `release` returns how. */
function holdBack(emitter: Emitter): { readonly emit: Emitter["emit"]; release(): () => void } {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  return {
    emit(name, data, agent) {
      if (isOpen) emitter.emit(name, data, agent);
      else waiting.push(() => emitter.emit(name, data, agent));
    },
    release() {
      isOpen = true;
      return () => {
        for (const report of waiting.splice(0)) report();
      };
    },
  };
}
