/** What a handler learns about the call it answers, beside the arguments. */
export interface Invocation {
  /** The session that the call belongs to. */
  readonly sessionId: string;
  /** The call, as the model or its provider numbers it. */
  readonly toolCallId: string;
  /** The name the model used, which need not be the name the tool was defined under. */
  readonly toolName: string;
  /** The arguments as the call carried them, before a schema filled in defaults. */
  readonly arguments: unknown;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

/**
 * A string is the text for the model, an object becomes JSON unless it is a `ToolResult`,
 * and nothing at all is a failure.
 */
type HandlerValue = string | object | null | undefined;

export type Handler<Args> = (args: Args, invocation: Invocation) => HandlerValue | Promise<HandlerValue>;
