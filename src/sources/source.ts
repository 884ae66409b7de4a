import type { CodeLine } from "../core/call/call.ts";
import type { Cancelling } from "../core/call/cancelling.ts";
import type { ToolResult } from "../core/call/tool-result.ts";
import { factsOf, type SourceKind } from "../core/tool/source-kinds.ts";
import type { Tool } from "../core/tool/tool.ts";
import type { PeerClient } from "./peer.ts";

/** The state of a source. All but `connected` come with a reason and what to do. */
export type SourceState = "starting" | "connected" | "stale" | "failed" | "needs-auth" | "disabled";

/** Why a source did not start, as far as its entry or the source itself explains it. */
export type SourceFault =
  | { readonly kind: "start-timeout" }
  | { readonly kind: "no-program" }
  /** The first line of its standard output that is no message of the protocol. */
  | { readonly kind: "chatter"; readonly line: string }
  /** Its address answers with a page for browsers. */
  | { readonly kind: "web-page" }
  | { readonly kind: "other" };

export interface SourceStatus {
  readonly state: SourceState;
  /** One sentence; null while there is nothing to say. */
  readonly reason: string | null;
  /** What a person can do about it, in the imperative; null while nothing is needed. */
  readonly next: string | null;
  /** The last lines that the source wrote to its error stream, cleaned. */
  readonly stderr: string | null;
  /** Set while the source is being retried, and while it starts if that does not look well. */
  readonly fault?: SourceFault;
  /** Somebody asked for a restart, and it is not connected yet. */
  readonly isRestarting?: boolean;
  /** It lists what it listed when it last ran, until it is connected. */
  readonly isStandIn?: boolean;
}

/** Progress of a running call. */
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
  /** The same for callers that call often; set if the session makes the call. */
  readonly cancelling?: Cancelling;
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Reports that somebody is being asked on behalf of this call, or no longer is. The time-out should not run while
   * they are.
   */
  readonly onWaiting?: (waiting: boolean) => void;
  /**
   * Reports work of this call that goes on although `run` has answered, as that of a handler that ignores its signal.
   * What may not run beside the call waits until it ends.
   */
  readonly stillRuns?: (work: Promise<unknown>) => void;
  /**
   * Whether rules allow reading a file that was found rather than named, links followed; relative to the workspace. Set
   * for built-ins if a session makes the call.
   */
  readonly mayRead?: (path: string) => boolean;
  /**
   * Why a file or folder that the call names may not be opened at the path where it really leads now; null if it may.
   * Links may have changed since the call was judged.
   */
  readonly whyClosed?: (path: string, real: string) => string | null;
  /** The same for an address that the call's own address redirects to. */
  readonly mayFetch?: (url: string) => boolean;
  /** The client that made the call, if it is a client of the Model Context Protocol. */
  readonly client?: PeerClient;
  /** The line of the model's code that makes the call; absent if no code does. */
  readonly codeLine?: CodeLine;
  /** The `_meta` of the caller's own request, such as trace ids, which is passed on. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** How the calls of a source are run. */
export interface CallManner {
  /**
   * It runs them in another process and sends arguments as text. So arguments need no copy, and a call cannot make
   * further calls from inside this process.
   */
  readonly isElsewhere: boolean;
  /**
   * Milliseconds that a call gets beyond its limit, for a source that ends calls by itself; null: only the source ends
   * them.
   */
  readonly slack: number | null;
  /**
   * Whether calls queue for a slot: always, only those that the session itself makes (a client orders its own calls,
   * and a server limits its own load), or never.
   */
  readonly queue: "always" | "session" | "never";
  /** It opens files and addresses on behalf of the caller, and must know which ones are allowed. */
  readonly opensPlaces: boolean;
  /** Its calls are reported to observers of the session like all calls that are answered outside. */
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
 * Where tools come from. A source lists tools and runs calls of them; it has the behaviour that a Tool, being data,
 * does not. `run` resolves to a result even when the tool fails; it rejects only when the source itself is broken.
 */
export interface Source {
  readonly kind: SourceKind;
  readonly name: string;
  readonly status: SourceStatus;
  /** As `IN_PROCESS` if absent. */
  readonly manner?: CallManner;
  /** Whose login, key or token its calls are made with, for the log; absent where everybody has the same. */
  readonly login?: string;
  /** It asks people and models through the client that made a call (`RunContext.client`). */
  readonly asksBack?: boolean;
  /**
   * Whether running this tool only emits a question that somebody answers later. Then nothing happens before the
   * session has emitted it.
   */
  onlyAsks?(tool: Tool): boolean;
  /** What the source says about itself, for the prompt; untrusted text, null while unknown. */
  readonly instructions?: string | null;
  /** What its entry filters out, by the name that the tool would have. */
  readonly unwanted?: ReadonlyMap<string, Unwanted>;
  /** The last lines on the error stream of a running source, cleaned; `status` has those of a failed one. */
  readStderr?(): string | null;
  /** Ends what it runs and restarts it at once. */
  restart?(): Promise<void>;
  /** The current tools. A source that is down answers with the last list that worked. */
  list(signal: AbortSignal): Promise<readonly Tool[]>;
  /** What `list` would resolve to, if that is known without waiting; then a change counts as soon as it is reported. */
  readonly tools?: readonly Tool[];
  /**
   * Converts arguments that do not fit the tool's schema the way the tool's author wants. The caller checks the outcome
   * against the schema again. Absent if no author could want that.
   */
  coerce?(tool: Tool, args: Readonly<Record<string, unknown>>): unknown;
  run(tool: Tool, args: Readonly<Record<string, unknown>>, context: RunContext): Promise<ToolResult>;
  /**
   * The failure that a call is bound to have as things are, found without doing anything; null if it may succeed. Then
   * nobody is asked about it.
   */
  foresee?(tool: Tool, args: Readonly<Record<string, unknown>>, context: RunContext): Promise<ToolResult | null>;
  /** Calls back whenever `list` or `status` may have changed; returns how to unsubscribe. */
  changes(listener: () => void): () => void;
  /** Leaves no process, timer or handle behind. Twice is fine. */
  close(): Promise<void>;
}

/** Which lists of an entry filter something out. */
export interface Unwanted {
  /** False if `include` does not name it. */
  readonly isIncluded: boolean;
  /** The patterns of `exclude` that match it. */
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

/** Whether its tools belong to a server, whose name is part of theirs. */
export function isServer({ kind }: Pick<Source, "kind">): boolean {
  return factsOf(kind).served !== undefined;
}

export const CONNECTED: SourceStatus = toStatus("connected", null);
