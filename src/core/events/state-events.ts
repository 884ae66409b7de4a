/** The tools a search has loaded, as a journal stores them. */
export interface LoadedTools {
  readonly catalogHash: string | null;
  readonly names: readonly string[];
  /** By name; a tool whose signature has changed is not loaded again. */
  readonly signatures: Readonly<Record<string, string>>;
}

/** An approval that lasts until the session ends, by rules or for one tool with exact arguments. */
export interface SessionGrant {
  readonly id: string;
  /** Identity of the tool it was given for: `server/tool`, or its name. */
  readonly tool: string;
  /** For a third-party tool: a changed definition voids the grant. */
  readonly signature: string | null;
  /** Allow rules; empty if bound to arguments. */
  readonly rules: readonly string[];
  /** SHA-256 of the arguments; null if rules define what it covers. */
  readonly digest: string | null;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly expires: number | null;
}

export interface TodoStep {
  readonly text: string;
  readonly status: string;
}

/** Options that can be stored. Tools, handlers, hooks, server configurations and credentials cannot: resuming supplies them. */
export type StoredOptions = Readonly<Record<string, unknown>>;

/** What changes a session's state and is not a call: with these, a replay gives the live state. */
export interface StateEvents {
  readonly "session.started": { readonly version: string; readonly options: StoredOptions };
  readonly "session.resumed": { readonly version: string; readonly options: StoredOptions };
  /** Everything before was copied from another session, up to and including its event `at`. */
  readonly "session.forked": { readonly from: string; readonly at: number };
  /** The changed options; null removes one. */
  readonly "session.options_changed": { readonly options: StoredOptions };
  readonly "session.promotions_changed": { readonly promotions: LoadedTools };
  /** From here on, model requests use this world, stored in parts under the hash. */
  readonly "session.world_changed": {
    readonly world: string;
    /** Hash of what a model can see of its tools. */
    readonly tools: string;
  };
  /** The new content of the session's database file, in base64. */
  readonly "session.database_changed": { readonly image: string };
  /** The new content of a file of the session; null if it was removed. */
  readonly "session.file_changed": { readonly path: string; readonly content: string | null };
  readonly "session.todo_changed": { readonly items: readonly TodoStep[] };
  readonly "subagent.started": SubagentRun & {
    readonly description: string;
    readonly mode: "wait" | "background";
    /** The agent that started it; null for the session itself. */
    readonly parentId: string | null;
    readonly team: string | null;
  };
  /** A custom agent is selected; `tools` are the ones it names, null for all. */
  readonly "subagent.selected": { readonly agentName: string; readonly tools: readonly string[] | null };
  /** The default agent is selected again. */
  readonly "subagent.deselected": Readonly<Record<string, never>>;
  readonly "subagent.completed": SubagentRun & { readonly stopReason: string };
  readonly "subagent.failed": SubagentRun & { readonly error: string };
  /** The next request contains nothing from `from` or later. */
  readonly "history.truncated": { readonly from: number };
  readonly "permission.granted": { readonly grant: SessionGrant };
  readonly "permission.revoked": { readonly grantId: string };
  readonly "user_input.requested": Asking & { readonly question: string; readonly choices: readonly string[] };
  readonly "user_input.completed": Answered;
  readonly "elicitation.requested": Asking & { readonly server: string; readonly message: string };
  readonly "elicitation.completed": Answered;
  readonly "plan.requested": Asking & { readonly plan: string };
  readonly "plan.completed": Answered;
  /** Tokens used by one model request; cost in US dollars, null if unknown. */
  readonly "assistant.usage": {
    readonly model: string;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedTokens: number;
    readonly cost: number | null;
    /** Why the model was asked, other than for the conversation: to judge a call. */
    readonly purpose?: "permission";
  };
}

interface SubagentRun {
  readonly agentId: string;
  readonly agentName: string;
  /** The call that started it; for an observing agent, the request it observes. */
  readonly toolCallId: string;
}

interface Asking {
  readonly requestId: string;
  /** The call that waits for the answer. */
  readonly toolCallId: string | null;
}

interface Answered {
  readonly requestId: string;
  /** Who answered; null if the question was closed unanswered. */
  readonly by: string | null;
}
