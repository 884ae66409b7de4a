import type { AgentConfig } from "../../../config/shape/agent-shape.ts";
import type { Source } from "../../../sources/source.ts";
import { SILENT } from "../../../system/logger.ts";
import { OWN_TIMING } from "../../../system/surroundings.ts";
import type { HiddenValues } from "../../../system/text/hidden-values.ts";
import type { AgentEnd } from "../../agents/agent-node.ts";
import { createEmitter, type Emitter } from "../../events/emitter.ts";
import { hideInEvents } from "../../events/hide-in-events.ts";
import { createKeyring } from "../../executor/keyring.ts";
import type { CompactionForm } from "../../loop/loop-session.ts";
import type { ModelClient } from "../../models/model.ts";
import type { SearchSetting } from "../search/session-search.ts";
import type { SourceSetting, WantedSource } from "../sources/configured-sources.ts";
import type { SessionPlace } from "../sources/session-place.ts";
import type { HostSetting } from "./session-host.ts";

/**
 * What a session is made of, besides its configuration. Each room says what it needs; the record goes to all of them
 * whole, so that a new field is declared where it is used and given where a session is opened.
 */
export interface SessionSetting extends SourceSetting, SearchSetting, HostSetting {
  /** Ends the session when it is aborted. */
  readonly signal: AbortSignal;
  /** Opens sources in place of the session, which closes what it got and never more. Absent: each is its own. */
  readonly open?: (wanted: WantedSource) => Promise<Source>;
  /** Values that no event may hold; none if absent. */
  readonly hidden?: HiddenValues | undefined;
  /** Finds the model of a name, for the session and for its agents; known and given providers if absent. */
  readonly findModel?: (name: string) => Promise<ModelClient>;
  /** The agents that it has besides configured ones; those that ship if absent. */
  readonly shippedAgents?: () => readonly AgentConfig[];
  /** What a model reads about the end of an agent that it started; our own words if absent. */
  readonly describeEnd?: (end: AgentEnd) => string;
  /** How its conversation is shortened; our own way if absent. */
  readonly compaction?: CompactionForm;
  /** How often a request to the model is made before its failure is reported; 8 if absent. */
  readonly attempts?: number;
}

/** What has to be given to open a session; all else has a default. */
export type GivenSetting = Partial<SessionSetting> &
  Pick<SessionPlace, "version" | "cwd" | "home" | "env" | "workspace">;

export function toSetting(given: GivenSetting): SessionSetting {
  const { timing = OWN_TIMING } = given;
  return {
    id: timing.newId(),
    timing,
    logger: SILENT,
    signal: new AbortController().signal,
    keyring: createKeyring(),
    ...given,
  };
}

/** The first part of a session, made before all that has something to report. */
export function createSessionEmitter({
  timing,
  journal,
  hidden,
  logger,
}: Pick<SessionSetting, "timing" | "journal" | "hidden" | "logger">): Emitter {
  const emitter = createEmitter({
    ...timing,
    recording: journal?.recorder,
    onListenerError: (error) => logger.error("a listener failed", error),
  });
  return hidden === undefined ? emitter : hideInEvents(emitter, hidden);
}
