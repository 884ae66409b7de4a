import type { CodeLine } from "../core/call/call.ts";
import type { ToolResult } from "../core/call/tool-result.ts";
import type { PeerClient } from "./peer.ts";

/** Whose code runs: a client, and which of its sessions. */
export interface CodeOwner {
  readonly client: string;
  readonly session: string;
}

/** A call that the code made, after every stage that a model's own call takes. */
export interface InnerOutcome {
  readonly result: ToolResult;
  /** What hooks want the model to read. */
  readonly notes: readonly string[];
  /** Somebody ended the turn, so the code does not go on. */
  readonly endsTurn: boolean;
  /** A stranger's tool said it: one of a server, an extension or a connection. */
  readonly isStrange: boolean;
}

/** The result of a run of code. */
export interface CodeResult extends ToolResult {
  /** What strangers said went into the code, so what it says may hold parts of that. */
  readonly holdsStrange?: boolean;
}

/** The tools that one run of code has: those of the request in which the model wrote it. */
export interface CodeTools {
  /** The objects whose methods are tools. */
  readonly servers: readonly string[];
  /** The tools that fit a request in words, each with how it is called. They count as found from then on. */
  search(query: string, options: LookUp, signal: AbortSignal): Promise<FoundFunctions>;
  /** How a tool is called, in full, and it counts as found; null where there is none of that name. */
  describe(name: string): string | null;
  call(name: string, args: unknown, from: CalledFrom): Promise<InnerOutcome>;
}

interface CalledFrom {
  readonly line: CodeLine | null;
  /** Who hears of the call; absent where no client stands behind the code. */
  readonly client: PeerClient | undefined;
}

interface LookUp {
  readonly limit: number | null;
  readonly server: string | null;
}

interface FoundFunctions {
  readonly functions: readonly FoundFunction[];
  /** Milliseconds that the search computed. */
  readonly computed: number;
}

interface FoundFunction {
  /** One line of TypeScript. */
  readonly call: string;
  readonly description: string;
}

/** The way from the code to the session that runs it. */
export interface CodePort {
  /** For the call of `run_code` with this id, which runs now. */
  open(toolCallId: string): CodeTools;
}
