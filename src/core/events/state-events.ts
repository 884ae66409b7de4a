/** What a search has loaded, as a journal keeps it. */
export interface LoadedTools {
  readonly catalogHash: string | null;
  readonly names: readonly string[];
  /** By name; a tool whose signature is another one now is not loaded again. */
  readonly signatures: Readonly<Record<string, string>>;
}

/** An approval that counts until the session ends, by rules or for one set of arguments of one tool. */
export interface SessionGrant {
  readonly id: string;
  /** Identity of the tool it was given for: `server/tool`, or its name. */
  readonly tool: string;
  /** Of a tool that others define: another definition is another tool, and voids the grant. */
  readonly signature: string | null;
  /** Allow rules; empty where it is bound to arguments. */
  readonly rules: readonly string[];
  /** SHA-256 of the arguments; null where rules say what it covers. */
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

/** What changes a session's state and is no call: with these, replaying a journal gives what living gave. */
export interface StateEvents {
  readonly "session.started": { readonly version: string; readonly options: StoredOptions };
  readonly "session.resumed": { readonly version: string; readonly options: StoredOptions };
  /** What comes before was copied from another session, up to and with its event number `at`. */
  readonly "session.forked": { readonly from: string; readonly at: number };
  /** Those that changed; null takes one away. */
  readonly "session.options_changed": { readonly options: StoredOptions };
  readonly "session.promotions_changed": { readonly promotions: LoadedTools };
  /** Requests to the model have this world from here on, kept in parts under the hash. */
  readonly "session.world_changed": {
    readonly world: string;
    /** Hash of what a model can notice of its tools. */
    readonly tools: string;
  };
  /** The file of the session's own database is this from now on, in base64. */
  readonly "session.database_changed": { readonly image: string };
  /** A file of the session's own is this from now on; null: it is gone. */
  readonly "session.file_changed": { readonly path: string; readonly content: string | null };
  readonly "session.todo_changed": { readonly items: readonly TodoStep[] };
  readonly "subagent.started": SubagentRun & {
    readonly description: string;
    readonly mode: "wait" | "background";
    /** The agent that started it; null: the session's own. */
    readonly parentId: string | null;
    readonly team: string | null;
  };
  /** A custom agent works in the session from now on; `tools` are those that it names, null for all. */
  readonly "subagent.selected": { readonly agentName: string; readonly tools: readonly string[] | null };
  /** The default agent works again. */
  readonly "subagent.deselected": Readonly<Record<string, never>>;
  readonly "subagent.completed": SubagentRun & { readonly stopReason: string };
  readonly "subagent.failed": SubagentRun & { readonly error: string };
  /** The next request has nothing of what happened at `from` or later. */
  readonly "history.truncated": { readonly from: number };
  readonly "permission.granted": { readonly grant: SessionGrant };
  readonly "permission.revoked": { readonly grantId: string };
  readonly "user_input.requested": Asking & { readonly question: string; readonly choices: readonly string[] };
  readonly "user_input.completed": Answered;
  readonly "elicitation.requested": Asking & { readonly server: string; readonly message: string };
  readonly "elicitation.completed": Answered;
  readonly "plan.requested": Asking & { readonly plan: string };
  readonly "plan.completed": Answered;
  /** What one request to a model used, in tokens; the cost in US dollars, null where nobody knows. */
  readonly "assistant.usage": {
    readonly model: string;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cachedTokens: number;
    readonly cost: number | null;
    /** What the model was asked for besides the conversation: whether a call may run. */
    readonly purpose?: "permission";
  };
}

interface SubagentRun {
  readonly agentId: string;
  readonly agentName: string;
  /** The call that started it; for one that looks on, the request that it looks at. */
  readonly toolCallId: string;
}

interface Asking {
  readonly requestId: string;
  /** The call that waits for the answer. */
  readonly toolCallId: string | null;
}

interface Answered {
  readonly requestId: string;
  /** Who answered; null where nobody did and the question was closed. */
  readonly by: string | null;
}
