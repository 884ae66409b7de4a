import type { ToolResult } from "../../../core/call/tool-result.ts";

/** A result, with what hooks add for the model to read and whether the turn should end. */
export type CallResult = ToolResult & { readonly additionalContext?: readonly string[]; readonly endTurn?: boolean };

/** What a program says about one call. */
export interface OneCallOptions {
  /** The id of the call; generated if absent. */
  readonly id?: string;
  /** Aborting it cancels the call, as the user would. */
  readonly signal?: AbortSignal;
  /** Milliseconds, instead of the tool's own limit. */
  readonly timeout?: number;
}

/** A prompt after its hooks, before the model gets it. */
interface PromptOutcome {
  readonly prompt: string;
  readonly additionalContext: readonly string[];
  /** Why it must not be sent; null if it may. */
  readonly blocked: string | null;
}

/** Hooks for programs that ask the model themselves; `session.run` runs them for you. */
export interface LoopHooks {
  /** Runs the hooks of a prompt, and before the first prompt those of the session's start. */
  prompt(text: string): Promise<PromptOutcome>;
  /** Reports an error to hooks; resolves to what they want done about it. */
  failed(error: unknown, recoverable: boolean): Promise<"retry" | "skip" | "abort" | null>;
  /** How often each hook failed. */
  readonly hookFailures: ReadonlyMap<string, number>;
}
