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
  /** The agent that started it; null: the session's own. */
  readonly parent: string | null;
  /** The team that it was started in. */
  readonly team: string | null;
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

/** Several agents that are started at once and written to under one name. */
interface AgentTeam {
  readonly name: string;
  readonly members: readonly Omit<AgentTask, "mode">[];
}

/** Why a message was not delivered: nobody of that name runs, or too much waits there already. */
export type SendOutcome = "sent" | "unknown" | "full";

/** The name by which agents write to the session's own agent. */
export const MAIN_AGENT = "main";

/** The port through which a model starts agents and looks after them. */
export interface AgentsPort {
  known(): readonly KnownAgent[];
  /** Resolves when it is over, or with `background` when it is started; rejects with what to tell the model. */
  start(task: AgentTask, toolCallId: string, signal: AbortSignal): Promise<AgentReport>;
  /** Starts all of them in the background; rejects with what to tell the model, and then none was started. */
  startTeam(team: AgentTeam, toolCallId: string): Promise<readonly AgentReport[]>;
  list(): Promise<readonly AgentReport[]>;
  /** With `wait`, once it is over. Null where there is none of that id. */
  read(id: string, wait: boolean, signal: AbortSignal): Promise<AgentReport | null>;
  /** A message that joins at the next request of an agent, of a team of one's own, or of the session's own agent. */
  send(to: string, message: string): Promise<SendOutcome>;
  /**
   * Stops one that this agent started, or that works for such a one; false where none of that id runs. Whoever started
   * it hears of it, unless it is the one that stops it.
   */
  stop(id: string, by?: "starter"): Promise<boolean>;
}
