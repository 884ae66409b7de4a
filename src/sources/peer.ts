import type { CodeLine } from "../core/call/call.ts";
import type { Tool } from "../core/tool/tool.ts";

/** Before 2026-07-28, and from then on. */
export type Era = "legacy" | "modern";

/** An answer as the protocol has it: a result, or an error with its code. */
export type PeerAnswer =
  | { readonly kind: "result"; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: unknown };

/** What a server may want of its client while it works on a request. */
export interface PeerQuestion {
  /** The server that asks, as the configuration calls it; null where Toolcrib itself asks. */
  readonly server: string | null;
  readonly method: "sampling/createMessage" | "elicitation/create" | "roots/list";
  readonly params: Readonly<Record<string, unknown>>;
  /** The line of the model's code whose call the server works on; absent where no code made it, or it is not clear which. */
  readonly codeLine?: CodeLine;
}

/**
 * Who stands behind a request. Both protocol eras meet here: questions that an older server asks in the middle of a
 * call come one at a time, those of a newer one (`input_required`) together, under the keys it gave them.
 */
export interface PeerClient {
  readonly id: string;
  /** As the client declared them: `sampling`, `elicitation`, `roots`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** The line of the model's code that makes the request. */
  readonly codeLine?: CodeLine;
  ask(questions: ReadonlyMap<string, PeerQuestion>, signal: AbortSignal): Promise<ReadonlyMap<string, PeerAnswer>>;
  /** What belongs to a request of this client and is no answer: progress (without a token) and log messages. */
  notify(method: string, params: Readonly<Record<string, unknown>>): void;
}

/** The client behind a call that a line of code makes. */
export function atLine(client: PeerClient, codeLine: CodeLine | undefined): PeerClient {
  return codeLine === undefined ? client : { ...client, codeLine };
}

export interface PeerRequestOptions {
  readonly signal: AbortSignal;
  readonly client: PeerClient | null;
}

/** The server behind a source, for those who speak the protocol themselves: whatever is not a tool passes here. */
export interface McpPeer {
  /** Null while it is not connected. */
  readonly era: Era | null;
  /** As the server declared them when it was last connected. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly serverInfo: Readonly<Record<string, unknown>>;
  /**
   * A tool of this source as the server listed it last, with what a Tool does not hold: `icons`, `_meta`, all
   * annotations. Untrusted, and not looked at by any gate. Null for a tool that is not of this source.
   */
  definitionOf(tool: Tool): Readonly<Record<string, unknown>> | null;
  /**
   * Any method but those that open or end the conversation. Waits for a server that is just (re)starting. Rejects with a
   * ToolcribError when the server cannot be talked to, and with the signal's reason when that is aborted.
   */
  request(method: string, params: Readonly<Record<string, unknown>>, options: PeerRequestOptions): Promise<PeerAnswer>;
  /** Tells the server something, such as `notifications/roots/list_changed`; lost while it is not connected. */
  notify(method: string, params: Readonly<Record<string, unknown>>): void;
  /**
   * Takes note of a client that can be asked at any time, for questions that belong to no request. They are put only
   * while it is the only one, and nobody else has a request open. Returns how to end that.
   */
  attach(client: PeerClient): () => void;
  /** What belongs to no request: list changes, updated resources, log messages. Returns how to stop it. */
  onNotification(listener: (method: string, params: Readonly<Record<string, unknown>>) => void): () => void;
}
