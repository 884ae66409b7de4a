/** A stored session, as a list shows it. */
export interface SessionView {
  readonly id: string;
  readonly created: string;
  readonly changed: string;
  /** A person's first message. */
  readonly prompt: string;
  readonly events: number;
  /** A process has it open. */
  readonly isLive: boolean;
}

/** One event of a session. */
export interface SessionEntry {
  readonly seq: number;
  readonly at: number;
  readonly agent: string | null;
  readonly kind: "user" | "model" | "call" | "result" | "note";
  readonly title: string;
  readonly text: string;
}

export interface SessionDetails {
  readonly session: SessionView & { readonly requests: number; readonly cost: number | null };
  /** Its stored plan, secrets masked; null if it has none. */
  readonly plan: string | null;
  /** The newest of them, oldest first; secrets are masked. */
  readonly timeline: readonly SessionEntry[];
  readonly isCut: boolean;
}

/** A file to be saved. */
export interface SessionFile {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}
