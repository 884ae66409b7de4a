/** What a handler learns about the call it answers, in addition to the arguments. */
export interface Invocation {
  /** The session that the call belongs to. */
  readonly sessionId: string;
  /** The id of the call, from the model or its provider. */
  readonly toolCallId: string;
  /** The name the model used, which may differ from the name in the definition. */
  readonly toolName: string;
  /** The arguments as received, before a schema filled in defaults. */
  readonly arguments: unknown;
  /** Aborted when the result is no longer wanted. */
  readonly signal: AbortSignal;
}

/**
 * A string is the text for the model, an object becomes JSON unless it is a `ToolResult`, and no value is a failure.
 */
type HandlerValue = string | object | null | undefined;

export type Handler<Args> = (args: Args, invocation: Invocation) => HandlerValue | Promise<HandlerValue>;
