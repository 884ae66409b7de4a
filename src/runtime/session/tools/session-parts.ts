import type { Config } from "../../../config/config.ts";
import { toOverrides } from "../../../config/to-overrides.ts";
import { judgeServer } from "../../../core/gates/policy.ts";
import type { Tool } from "../../../core/tool/tool.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import type { Source } from "../../../sources/source.ts";
import { createEmitter, type Emitter } from "../../events/emitter.ts";
import { hideInEvents } from "../../events/hide-in-events.ts";
import type { Executor } from "../../executor/executor.ts";
import { noteElsewhere } from "../../report/named-elsewhere.ts";
import { createSessionSearch, type SessionSearch } from "../search/session-search.ts";
import { wantedServers } from "../sources/configured-sources.ts";
import { createLiveTools, type LiveTools } from "../sources/live-tools.ts";
import { createReconciler } from "../sources/running-sources.ts";
import { createEngine, type Engine } from "./engine.ts";
import { createSessionCode } from "./session-code.ts";
import { createSessionState, type SessionState } from "./session-state.ts";
import type { SessionSetting } from "./setting.ts";

/** What a session is made of, wired to each other. */
export interface SessionParts {
  readonly emitter: Emitter;
  readonly live: LiveTools;
  readonly search: SessionSearch;
  readonly state: SessionState;
  /** Null until the first toolset could be built. */
  readonly engine: Engine | null;
  isClosed(): boolean;
  /** The source that listed a tool, while both are there. */
  sourceOf(tool: Tool): Source | undefined;
  /** Starts and ends sources as the configuration wants them now. */
  reconcile(): Promise<void>;
  /** Builds the first toolset; throws what stands in the way. */
  build(): Engine;
  close(): Promise<void>;
}

export function createSessionParts(
  first: Config,
  setting: SessionSetting,
  isClosed: () => boolean,
  executor: () => Promise<Executor>,
): SessionParts {
  const { logger, timing } = setting;
  let engine: Engine | null = null;
  const own = createEmitter({
    ...timing,
    recording: setting.recorder,
    onListenerError: (error) => logger.error("a listener failed", error),
  });
  const emitter = setting.hidden === undefined ? own : hideInEvents(own, setting.hidden);
  /** A server changes its list when it likes; what the session's own program or person changes holds at once. */
  const onChange = (source?: Source): void => engine?.invalidate(source?.manner?.isElsewhere ? "in-turn" : "shortly");
  const live = createLiveTools({
    onChange: (source) => state.sourceChanged(source),
    onError: (source, error) => logger.error(`${source.kind} ${source.name} could not list its tools`, error),
  });
  const sources = (): readonly Source[] => live.sources;
  const toolset = (): Toolset | null => (engine === null ? null : engine.toolset);
  const onLoaded = (): void => {
    state.renew();
    if (setting.recorder) emitter.emit("session.promotions_changed", { promotions: search.saved });
  };
  const search = createSessionSearch({ setting, config: first, emitter, toolset, sources, onChange: onLoaded });
  const promoted = () => search.promoted;
  const code = createSessionCode({
    ...{ timing, executor, find: search.find, limits: setting.calls?.limits ?? {} },
    owner: { client: setting.usage?.tenant || setting.id, session: setting.id },
    sourceOf: (tool) => live.sourceOf(tool),
  });
  // These two stand behind the catalog and come from no source that lists them.
  const sourceOf = (tool: Tool): Source | undefined => {
    const { search: searching, code: coding } = engine?.toolset.catalog ?? {};
    return tool === searching?.tool ? search.source : tool === coding?.tool ? code : live.sourceOf(tool);
  };
  const state = createSessionState(first, { setting, emit: emitter.emit, sources, promoted, onChange });
  return {
    emitter,
    live,
    search,
    state,
    get engine() {
      return engine;
    },
    isClosed,
    sourceOf,
    reconcile: createReconciler({
      live,
      open: setting.open,
      isClosed,
      async wanted() {
        const { config } = state;
        const judge = (name: string, url?: string) => judgeServer(name, state.scene, url);
        const servers = wantedServers(config, judge, setting.place);
        return [...(await setting.sources(config)), ...servers];
      },
    }),
    build() {
      engine = createEngine({
        live,
        emitter,
        scene: () => state.scene,
        overrides: () => toOverrides(state.config),
        style: () => state.config.wireNames.value,
        notices: () => [...state.config.notices, ...setting.notices()],
        weigh: (notices) => noteElsewhere(notices, state.config),
        leftOut: () => setting.leftOut?.(state.config) ?? [],
        toldTools: setting.toldTools ?? null,
      });
      return engine;
    },
    async close() {
      await setting.recorder?.close();
      emitter.close();
      const stored = search.close().catch((error) => logger.error("what searches led to could not be stored", error));
      await code.close();
      await live.close();
      await stored;
    },
  };
}
