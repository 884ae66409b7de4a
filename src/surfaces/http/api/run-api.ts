/** What the page sees of agents at work; part of `api.ts`. Types only: browser code shares this file. */

/** A session that talks to a model in this process. */
export interface RunView {
  /** The id of its session. */
  readonly id: string;
  /** Who started it. */
  readonly label: string;
  /** A person's first message. */
  readonly prompt: string;
  readonly model: string | null;
  readonly started: number;
  readonly changed: number;
  /** `waiting`: somebody must answer a question. */
  readonly state: "running" | "waiting" | "idle";
  /** Why the last run ended; null while one is running. */
  readonly stopReason: string | null;
  /** The error that made it fail; null if none. */
  readonly error: string | null;
  readonly used: UsedView;
  readonly calls: number;
  /** How many agents work for it or did. */
  readonly agents: number;
  /** It was opened here, so messages can be sent to it, and it can be stopped. */
  readonly isOpen: boolean;
}

/** What requests to models used. */
export interface UsedView {
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  /** US dollars; null if the price of a model is unknown. */
  readonly cost: number | null;
}

/** The session's own agent, or one that works for it. */
export interface RunAgent {
  /** Null: the session's own. */
  readonly id: string | null;
  readonly name: string;
  /** The agent that started it; null: the session's own. */
  readonly parent: string | null;
  readonly description: string;
  readonly state: "running" | "done" | "failed";
  readonly mode: "wait" | "background";
  readonly team: string | null;
  readonly started: number;
  readonly ended: number | null;
  readonly error: string | null;
  readonly used: UsedView;
}

/** A call of a turn, with the calls that it made. */
export interface RunCall {
  readonly id: string;
  readonly tool: string;
  readonly arguments: unknown;
  readonly started: number;
  readonly duration: number | null;
  /** `judging`, `waiting`, `running` or the type of its result. */
  readonly state: string;
  readonly progress: string | null;
  readonly result: string | null;
  /** The line of code that made it. */
  readonly line: number | null;
  /** The agent that it started. */
  readonly agent: string | null;
  readonly inside: readonly RunCall[];
}

/** One event of a run, in order. */
export type RunEntry =
  | {
      readonly kind: "said";
      readonly key: number;
      readonly at: number;
      readonly agent: string | null;
      readonly by: string;
      readonly text: string;
    }
  | {
      readonly kind: "turn";
      readonly key: number;
      readonly at: number;
      readonly agent: string | null;
      /** Counts the requests of its agent, from 1. */
      readonly number: number;
      readonly model: string | null;
      readonly text: string;
      /** Characters that are not shown. */
      readonly hidden: number;
      readonly thoughts: string;
      readonly isStreaming: boolean;
      readonly used: UsedView | null;
      readonly calls: readonly RunCall[];
      /** Calls that are not shown. */
      readonly hiddenCalls: number;
    }
  | {
      readonly kind: "note";
      readonly key: number;
      readonly at: number;
      readonly agent: string | null;
      readonly tone: "plain" | "warn" | "bad";
      readonly text: string;
    };

export interface RunDetails {
  readonly run: RunView;
  /** The session's own first; each after the one that started it. */
  readonly agents: readonly RunAgent[];
  /** The newest of them, oldest first; secrets are masked. */
  readonly entries: readonly RunEntry[];
  readonly isCut: boolean;
}

/** The settings of a new run. */
export interface RunSetup {
  /** The model of the configuration; null if none is chosen. */
  readonly model: string | null;
  readonly agent: string | null;
  readonly mode: string;
  /** Agents that a run can begin with. */
  readonly agents: readonly string[];
  /** Why none can be started here at all. */
  readonly refusal: string | null;
  /** Where a model could come from as long as none is chosen; null where one is. */
  readonly missing: ModelChoices | null;
  /** Whether the session is stored. */
  readonly keeps: boolean;
}

/** Where a model could come from. */
export interface ModelChoices {
  /** What would choose one and waits for trust: the model, an agent or a provider. */
  readonly waiting: readonly { readonly what: string; readonly name: string; readonly place: string }[];
  /** Variables with a key, and whose key it is. */
  readonly keys: readonly { readonly provider: string; readonly variable: string }[];
  /** Those that answer, on this machine or as configured, each with one of its models. */
  readonly reachable: readonly { readonly provider: string; readonly model: string; readonly isLocal: boolean }[];
  /** Everything that was looked for. */
  readonly looked: { readonly variables: readonly string[]; readonly servers: readonly string[] };
}

export interface WantedRun {
  readonly prompt: string;
  readonly model?: string;
  readonly agent?: string;
  readonly mode?: string;
  /** US dollars at which it ends. */
  readonly maxCost?: number;
}

/** Something other than a call that a run waits for. */
export type QuestionView = {
  readonly id: string;
  /** The session that asks. */
  readonly session: string;
  readonly client: string;
  readonly since: number;
} & (
  | { readonly kind: "user_input"; readonly question: string; readonly choices: readonly string[] }
  | { readonly kind: "plan"; readonly plan: string }
  | {
      readonly kind: "elicitation";
      readonly server: string;
      readonly message: string;
      readonly schema: unknown;
      readonly url: string | null;
    }
);

/** By the kind of the question. */
export type QuestionAnswer =
  | { readonly text: string }
  | { readonly approved: boolean; readonly feedback?: string }
  | {
      readonly action: "accept" | "decline" | "cancel";
      readonly content?: Readonly<Record<string, unknown>>;
    };
