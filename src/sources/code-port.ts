import type { CodeLine } from "../core/call/call.ts";
import type { ToolResult } from "../core/call/tool-result.ts";
import type { PeerClient } from "./peer.ts";

/** Whose code runs: a client, and which of its sessions. */
export interface CodeOwner {
  readonly client: string;
  readonly session: string;
}

/** A call that the code made, after all the stages that a model's own call passes. */
export interface InnerOutcome {
  readonly result: ToolResult;
  /** What hooks add for the model to read. */
  readonly notes: readonly string[];
  /** The turn was ended, so the code must stop. */
  readonly endsTurn: boolean;
  /** The result comes from an untrusted tool: one of a server, an extension or a connection. */
  readonly isStrange: boolean;
}

/** The result of a run of code. */
export interface CodeResult extends ToolResult {
  /** The code read untrusted results, so its own output may contain parts of them. */
  readonly holdsStrange?: boolean;
}

/** The tools of one run of code: those of the request in which the model wrote the code. */
export interface CodeTools {
  /** The objects whose methods are tools. */
  readonly servers: readonly string[];
  /** The tools that match a request in words, each with its signature. They count as found from then on. */
  search(query: string, options: LookUp, signal: AbortSignal): Promise<FoundFunctions>;
  /** The full signature of a tool, which then counts as found; null if the name is unknown. */
  describe(name: string): string | null;
  call(name: string, args: unknown, from: CalledFrom): Promise<InnerOutcome>;
}

interface CalledFrom {
  readonly line: CodeLine | null;
  /** The client that is notified about the call; absent if the code does not run for a client. */
  readonly client: PeerClient | undefined;
}

interface LookUp {
  readonly limit: number | null;
  readonly server: string | null;
}

interface FoundFunctions {
  readonly functions: readonly FoundFunction[];
  /** Milliseconds of computing that the search took. */
  readonly computed: number;
}

interface FoundFunction {
  /** One line of TypeScript. */
  readonly call: string;
  readonly description: string;
}

/** How code reaches the session that runs it. */
export interface CodePort {
  /** For the running call of `run_code` with this id. */
  open(toolCallId: string): CodeTools;
}
