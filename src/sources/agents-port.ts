/** An agent that `task` can start. */
export interface KnownAgent {
  readonly name: string;
  readonly description: string;
}

/** How an agent that was started is doing. */
export interface AgentReport {
  readonly id: string;
  readonly agent: string;
  readonly description: string;
  readonly status: "waiting" | "running" | "completed" | "failed" | "stopped";
  /** Milliseconds since it was started, or until it ended. */
  readonly elapsed: number;
  readonly turns: number;
  /** What it said last, or why it failed. */
  readonly text: string;
}

export interface AgentTask {
  readonly agent: string;
  readonly prompt: string;
  readonly description: string;
  readonly mode: "wait" | "background";
}

/** The port through which a model starts agents and looks after them. */
export interface AgentsPort {
  known(): readonly KnownAgent[];
  /** Resolves when it is over, or with `background` when it is started; rejects with what to tell the model. */
  start(task: AgentTask, toolCallId: string, signal: AbortSignal): Promise<AgentReport>;
  list(): Promise<readonly AgentReport[]>;
  /** With `wait`, once it is over. Null where there is none of that id. */
  read(id: string, wait: boolean, signal: AbortSignal): Promise<AgentReport | null>;
  /** A message that joins at its next request; false where it does not run. */
  send(id: string, message: string): Promise<boolean>;
  stop(id: string): Promise<boolean>;
}
