import type { Config } from "../../config/config.ts";
import type { SceneFacts } from "../../config/to-scene.ts";
import type { Notice } from "../../core/codes/reason.ts";
import type { Source } from "../../sources/source.ts";
import type { SourcePlace, WantedSource } from "./configured-sources.ts";
import type { Emitter } from "./events.ts";

export interface Logger {
  error(text: string, error: unknown): void;
  debug(text: string): void;
}

export const SILENT: Logger = { error: () => {}, debug: () => {} };

/** What a session lends to whatever surrounds it. */
export interface SessionPorts {
  readonly emit: Emitter["emit"];
  /** Facts of the scene changed. */
  readonly changed: () => void;
}

/** What surrounds a session: everything that configuration does not say. */
export interface SessionSetting {
  readonly id: string;
  readonly place: SourcePlace;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Sources besides MCP servers: built-ins, modules, skills, extensions, what the host registers. */
  readonly sources: (config: Config) => Promise<readonly WantedSource[]>;
  readonly facts: (config: Config, sources: readonly Source[]) => SceneFacts;
  /** What the sources found worth telling. */
  readonly notices: () => readonly Notice[];
  /** Called once, before any source is opened. */
  readonly attach: (ports: SessionPorts) => void;
}
