import type { Json } from "../wire/wire-values.ts";

/** A message that waits for its turn. */
export interface Queued {
  readonly messageId: string;
  readonly params: Json;
  /** A command in place of a message. */
  readonly command?: { readonly requestId: string; readonly command: string };
}

/** What a session does, and what waits. */
export interface TurnState {
  readonly queue: Queued[];
  /** Resolves once nothing runs; null where nothing does. */
  running: Promise<void> | null;
  /** How often something began to run where nothing did. */
  runs: number;
  /** A client aborted the run, or the last one. */
  isAborted: boolean;
  /** Messages that joined a run and that the model has not read yet, by id. */
  readonly steering: Map<string, string>;
  /** Tools whose client left while the session went on; the model is told once. */
  readonly goneTools: Set<string>;
  /** The hooks of the session's start have run. */
  isStarted: boolean;
  /** It goes on with a stored session. */
  readonly isResumed: boolean;
  /** A compaction that a client asked for. */
  compacting: AbortController | null;
  /** Options that do nothing, and that clients were told of. */
  readonly ignored: Set<string>;
}

export function newTurns(isResumed: boolean): TurnState {
  return {
    ...{ queue: [], running: null, runs: 0, isAborted: false, steering: new Map() },
    ...{ goneTools: new Set(), isStarted: false, isResumed, compacting: null, ignored: new Set() },
  };
}
