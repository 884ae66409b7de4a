/** The decisions of hooks about a run. */
export interface RunHooks {
  prompt(text: string): Promise<{
    readonly prompt: string;
    readonly additionalContext: readonly string[];
    /** Why it must not be sent; null if it may. */
    readonly blocked: string | null;
  }>;
  /** Called when the model wants to stop: the text that makes it continue, or null. */
  stopping(isAgain: boolean): Promise<string | null>;
  compacting(trigger: "auto" | "manual"): Promise<void>;
  failed(error: unknown, recoverable: boolean): Promise<"retry" | "skip" | "abort" | null>;
}
