/** A question to the session's user. */
export interface Question {
  readonly question: string;
  readonly choices: readonly string[];
}

/** Facts that outlive a session. An interface, so that other back ends can be used. */
export interface Memory {
  /** Keeps a fact. */
  store(subject: string, fact: string, signal: AbortSignal): Promise<void>;
  /** The facts that match a query; all facts if it is null. */
  recall(query: string | null, signal: AbortSignal): Promise<readonly Fact[]>;
}

interface Fact {
  /** What it is about. */
  readonly subject: string;
  /** The fact itself, as a sentence. */
  readonly fact: string;
}
