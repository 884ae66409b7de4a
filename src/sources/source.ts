import type { CodeLine } from "../core/call/call.ts";
import type { Cancelling } from "../core/call/cancelling.ts";
import type { ToolResult } from "../core/call/tool-result.ts";
import { factsOf, type SourceKind } from "../core/tool/source-kinds.ts";
import type { Tool } from "../core/tool/tool.ts";
import type { PeerClient } from "./peer.ts";

/** How a source is doing; everything but `connected` comes with a reason and what to do. */
export type SourceState = "starting" | "connected" | "stale" | "failed" | "needs-auth" | "disabled";

/** Why a source did not start, where its entry or its program is all there is to correct. */
export type SourceFault = "start-timeout" | "no-program" | "other";

export interface SourceStatus {
  readonly state: SourceState;
  /** One sentence; null while there is nothing to say. */
  readonly reason: string | null;
  /** What a person can do about it, in the imperative; null while nothing is needed. */
  readonly next: string | null;
  /** The last lines that the source wrote to its error stream, cleaned. */
  readonly stderr: string | null;
  /** There where it is tried again, and nothing more is known than that it failed. */
  readonly fault?: SourceFault;
  /** What it lists is what it listed when it last ran, until it is there. */
  readonly isStandIn?: boolean;
}

/** A step forward in a running call. */
export interface Progress {
  readonly message: string | null;
  readonly progress: number | null;
  readonly total: number | null;
}

/** What a source needs to know about one call beyond its arguments. */
export interface RunContext {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly signal: AbortSignal;
  /** The same for those who call often; there where the session makes the call. */
  readonly cancelling?: Cancelling;
  readonly onProgress?: (progress: Progress) => void;
  /** Somebody is being asked on behalf of this call, or no longer; meanwhile its time-out should not count. */
  readonly onWaiting?: (waiting: boolean) => void;
  /**
   * Whether rules let a file be read that was found rather than named, links followed; relative to the workspace. There
   * for built-ins, where a session makes the call.
   */
  readonly mayRead?: (path: string) => boolean;
  /**
   * Why a file or folder that the call names may not be opened at the place where its path really leads by now; null
   * where it may. Links may have changed since the call was judged.
   */
  readonly whyClosed?: (path: string, real: string) => string | null;
  /** The same for an address that the one of the call redirects to. */
  readonly mayFetch?: (url: string) => boolean;
  /** Who stands behind the call, where that is a client of the Model Context Protocol. */
  readonly client?: PeerClient;
  /** The line of the model's code that makes the call; absent where no code does. */
  readonly codeLine?: CodeLine;
  /** The `_meta` of the caller's own request: traces and the like, which are passed on. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** How the calls of a source are run. */
export interface CallManner {
  /**
   * It runs them elsewhere and sends arguments as text: they need no copy, and nothing that it does makes calls from
   * inside this process.
   */
  readonly isElsewhere: boolean;
  /** Milliseconds beyond its limit that a call gets, for a source that ends calls by itself; null: only it ends them. */
  readonly slack: number | null;
  /**
   * Whether calls wait for each other and hold a place: always, only those of the session itself (a client keeps the
   * order of its own calls, and a server its own house), or never.
   */
  readonly queue: "always" | "session" | "never";
  /** It opens files and addresses in the name of whoever calls, and has to know which it may. */
  readonly opensPlaces: boolean;
  /** Whoever watches a session hears of its calls as of all that are answered outside. */
  readonly isAnsweredOutside: boolean;
}

/** A handler of this process. */
export const IN_PROCESS: CallManner = {
  isElsewhere: false,
  slack: 0,
  queue: "always",
  opensPlaces: false,
  isAnsweredOutside: false,
};

/**
 * Where tools come from. It lists them and runs calls on them, and holds the behaviour that a Tool never does.
 * `run` answers with a result also when the tool fails; it rejects only when the source itself is broken.
 */
export interface Source {
  readonly kind: SourceKind;
  readonly name: string;
  readonly status: SourceStatus;
  /** As `IN_PROCESS` if absent. */
  readonly manner?: CallManner;
  /** It asks people and models through the client behind a call (`RunContext.client`). */
  readonly asksBack?: boolean;
  /**
   * Whether all that running this tool does is to tell that somebody is asked, who answers later: nothing happens before
   * the session has told so.
   */
  onlyAsks?(tool: Tool): boolean;
  /** What it tells about itself, for the prompt; untrusted text, null while unknown. */
  readonly instructions?: string | null;
  /** What its entry keeps from becoming a tool, by the name that it would have. */
  readonly unwanted?: ReadonlyMap<string, Unwanted>;
  /** The last lines that it wrote to its error stream while it runs, cleaned; `status` has those of one that failed. */
  readStderr?(): string | null;
  /** Ends what it runs and starts it anew at once. */
  restart?(): Promise<void>;
  /** The tools as they are now. A source that is down answers with its last good list. */
  list(signal: AbortSignal): Promise<readonly Tool[]>;
  /** What `list` answers, where it is known without waiting; then a change of it counts from the moment it is told. */
  readonly tools?: readonly Tool[];
  /**
   * Arguments that do not fit the tool's schema, with values converted as the tool's author wants; whoever asks holds
   * them against the schema again. Absent where nobody could want that.
   */
  coerce?(tool: Tool, args: Readonly<Record<string, unknown>>): unknown;
  run(tool: Tool, args: Readonly<Record<string, unknown>>, context: RunContext): Promise<ToolResult>;
  /** Calls back whenever `list` or `status` may answer differently than before; returns how to stop that. */
  changes(listener: () => void): () => void;
  /** Leaves no process, timer or handle behind. Twice is fine. */
  close(): Promise<void>;
}

/** Which lists of an entry leave something out. */
export interface Unwanted {
  /** False where `include` does not name it. */
  readonly isIncluded: boolean;
  /** The patterns of `exclude` that it fits. */
  readonly excludedBy: readonly string[];
}

export function toStatus(
  state: SourceState,
  reason: string | null,
  next: string | null = null,
  stderr: string | null = null,
): SourceStatus {
  return { state, reason, next, stderr };
}

/** Whether its tools are a server's, whose name stands in theirs. */
export function isServer({ kind }: Pick<Source, "kind">): boolean {
  return factsOf(kind).served !== undefined;
}

export const CONNECTED: SourceStatus = toStatus("connected", null);
