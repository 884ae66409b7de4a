import type { CodeLine } from "../core/call/call.ts";
import type { Tool } from "../core/tool/tool.ts";

/** Protocol versions before 2026-07-28, and from then on. */
export type Era = "legacy" | "modern";

/** An answer in the protocol's terms: a result, or an error with its code. */
export type PeerAnswer =
  | { readonly kind: "result"; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data?: unknown };

/** What a server may ask of its client while it handles a request. */
export interface PeerQuestion {
  /** The server that asks, by its configured name; null if Toolcrib itself asks. */
  readonly server: string | null;
  readonly method: "sampling/createMessage" | "elicitation/create" | "roots/list";
  readonly params: Readonly<Record<string, unknown>>;
  /**
   * The line of the model's code whose call the server handles; absent if no code made it, or if it is unclear which
   * line.
   */
  readonly codeLine?: CodeLine;
}

/**
 * The client that made a request. Serves both protocol eras: an older server asks its questions one at a time in the
 * middle of a call, a newer one (`input_required`) all together, under keys of its own.
 */
export interface PeerClient {
  readonly id: string;
  /** The protocol that it speaks; absent if it is no client of that protocol. */
  readonly era?: Era;
  /** As the client declared them: `sampling`, `elicitation`, `roots`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** The line of the model's code that makes the request. */
  readonly codeLine?: CodeLine;
  ask(questions: ReadonlyMap<string, PeerQuestion>, signal: AbortSignal): Promise<ReadonlyMap<string, PeerAnswer>>;
  /**
   * Messages that belong to a request of this client but are no answer: progress (without a token) and log messages; and
   * that an address which it opened for a request has been used, which may be long after.
   */
  notify(method: string, params: Readonly<Record<string, unknown>>): void;
}

/** The client, for a call that a line of code makes. */
export function atLine(client: PeerClient, codeLine: CodeLine | undefined): PeerClient {
  return codeLine === undefined ? client : { ...client, codeLine };
}

export interface PeerRequestOptions {
  readonly signal: AbortSignal;
  readonly client: PeerClient | null;
}

/** The server of a source, for callers that speak the protocol themselves: everything but tools goes through here. */
export interface McpPeer {
  /** Null while it is not connected. */
  readonly era: Era | null;
  /** As the server declared them when it was last connected. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly serverInfo: Readonly<Record<string, unknown>>;
  /**
   * A tool of this source as the server last listed it, with what a Tool leaves out: `icons`, `_meta`, all annotations.
   * Untrusted, and seen by no gate. Null for a tool of another source.
   */
  definitionOf(tool: Tool): Readonly<Record<string, unknown>> | null;
  /**
   * Sends any method except those that open or end the conversation. Waits for a server that is (re)starting. Rejects
   * with a ToolcribError when the server cannot be reached, and with the signal's reason when that is aborted.
   */
  request(method: string, params: Readonly<Record<string, unknown>>, options: PeerRequestOptions): Promise<PeerAnswer>;
  /** Sends the server a notification, such as `notifications/roots/list_changed`; lost while it is not connected. */
  notify(method: string, params: Readonly<Record<string, unknown>>): void;
  /**
   * Registers a client that can be asked at any time, for questions that belong to no request. They are put to it only
   * while it is the only such client and nobody else has a request open. Returns how to unregister.
   */
  attach(client: PeerClient): () => void;
  /**
   * Notifications that belong to no request: list changes, updated resources, log messages. Returns how to unsubscribe.
   */
  onNotification(listener: (method: string, params: Readonly<Record<string, unknown>>) => void): () => void;
}
