/** An agent that `task` can start. */
export interface KnownAgent {
  readonly name: string;
  readonly description: string;
  /** It always works in the background. */
  readonly background?: boolean;
}

/** The state of an agent that was started. */
export interface AgentReport {
  readonly id: string;
  readonly agent: string;
  /** The call that started it. */
  readonly toolCallId: string;
  readonly prompt: string;
  readonly mode: AgentTask["mode"];
  /** When it was started, in milliseconds since 1970. */
  readonly began: number;
  readonly description: string;
  /** The agent that started it; null if the session's own agent did. */
  readonly parent: string | null;
  /** The team that it was started in. */
  readonly team: string | null;
  readonly status: "waiting" | "running" | "completed" | "failed" | "stopped";
  /** Milliseconds since it was started, or until it ended. */
  readonly elapsed: number;
  readonly turns: number;
  /** Its last message, or why it failed. */
  readonly text: string;
}

export interface AgentTask {
  readonly agent: string;
  /** Its id, if nobody has that yet; made from the agent's name if absent. */
  readonly name?: string | undefined;
  readonly prompt: string;
  readonly description: string;
  readonly mode: "wait" | "background";
  /** The model that it is asked with, in place of its own. */
  readonly model?: string | undefined;
}

/** Several agents that are started together and addressed by one name. */
interface AgentTeam {
  readonly name: string;
  readonly members: readonly Omit<AgentTask, "mode">[];
}

/** Why a message was not delivered: no agent of that name is running, or too many messages wait there already. */
export type SendOutcome = "sent" | "unknown" | "full";

/** The name by which agents write to the session's own agent. */
export const MAIN_AGENT = "main";

/** The port through which a model starts agents and checks on them. */
export interface AgentsPort {
  known(): readonly KnownAgent[];
  /** Resolves when the agent ends or, with `background`, when it has started; rejects with the text for the model. */
  start(task: AgentTask, toolCallId: string, signal: AbortSignal): Promise<AgentReport>;
  /** Starts all of them in the background. Rejects with the text for the model if one cannot start; then none has. */
  startTeam(team: AgentTeam, toolCallId: string): Promise<readonly AgentReport[]>;
  list(): Promise<readonly AgentReport[]>;
  /** With `wait`, resolves when the agent has ended. Null if the id is unknown. */
  read(id: string, wait: boolean, signal: AbortSignal): Promise<AgentReport | null>;
  /**
   * A message that joins the next request of an agent, of one of the caller's own teams, or of the session's own agent.
   */
  send(to: string, message: string): Promise<SendOutcome>;
  /**
   * Stops an agent that the caller started, directly or through another agent; false if no agent of that id is running.
   * The agent's starter is notified unless it is the one that stops it.
   */
  stop(id: string, by?: "starter"): Promise<boolean>;
}
