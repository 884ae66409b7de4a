import type { Config } from "../../config/config.ts";
import type { SceneFacts } from "../../config/to-scene.ts";
import type { Notice } from "../../core/codes/reason.ts";
import type { Source } from "../../sources/source.ts";
import type { SourcePlace, WantedSource } from "./configured-sources.ts";

export interface Logger {
  error(text: string, error: unknown): void;
  debug(text: string): void;
}

export const SILENT: Logger = { error: () => {}, debug: () => {} };

/** What surrounds a session: everything that configuration does not say. */
export interface SessionSetting {
  readonly id?: string;
  readonly place: SourcePlace;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Sources besides MCP servers: built-ins, modules, skills, extensions, what the host registers. */
  readonly sources: (config: Config) => readonly WantedSource[];
  readonly facts: (sources: readonly Source[]) => SceneFacts;
  readonly notices: () => readonly Notice[];
  /** Gives the session a way to hear that facts changed. */
  readonly onChange: (listener: () => void) => void;
}
