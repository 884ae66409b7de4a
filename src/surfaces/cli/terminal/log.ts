import { placeBehind } from "../../../core/codes/origin.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import type { Io } from "./io.ts";

export const LOG_DETAILS = ["debug", "info", "warning", "error"] as const;
export type LogDetail = (typeof LOG_DETAILS)[number];

/** What is told on stderr, beside the answer. */
export interface Log {
  readonly level: LogDetail;
  debug(text: string): void;
  /** The same about something that failed. */
  failed(text: string, error: unknown): void;
  /** The same for messages on the wire; absent where nobody would read them, so that nobody writes them out. */
  readonly wire?: ((text: string) => void) | undefined;
  notices(notices: readonly Notice[]): void;
  /** Runs a step and, at level debug, tells how long it took. */
  timed<T>(what: string, step: () => T): T;
}

export function createLog(io: Io, level: LogDetail): Log {
  const tells = (wanted: LogDetail): boolean => LOG_DETAILS.indexOf(wanted) >= LOG_DETAILS.indexOf(level);
  const debug = (text: string): void => {
    if (tells("debug")) io.err(`toolcrib: debug: ${escapeText(text)}\n`);
  };
  return {
    level,
    debug,
    failed: (text, error) => debug(`${text}: ${error instanceof Error ? error.message : String(error)}`),
    wire: tells("debug") ? debug : undefined,
    notices(notices) {
      for (const { level, code, text, origin } of notices) {
        // A name that is no mistake here interests only who looks closer; doctor lists it.
        const weight = level === "info" && code === "filter.unknown-name" ? "debug" : level;
        if (tells(weight)) io.err(`toolcrib: ${weight}: ${escapeText(text + placeBehind(text, origin))}\n`);
      }
    },
    timed(what, step) {
      const start = performance.now();
      const result = step();
      debug(`${what} took ${(performance.now() - start).toFixed(1)} ms`);
      return result;
    },
  };
}
