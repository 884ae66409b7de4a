/** What hooks have to say about a run. */
export interface RunHooks {
  prompt(text: string): Promise<{
    readonly prompt: string;
    readonly additionalContext: readonly string[];
    /** Why it must not be sent; null when it may. */
    readonly blocked: string | null;
  }>;
  /** The model wants to stop: what sends it on, or null. */
  stopping(isAgain: boolean): Promise<string | null>;
  compacting(trigger: "auto" | "manual"): Promise<void>;
  failed(error: unknown, recoverable: boolean): Promise<"retry" | "skip" | "abort" | null>;
}
