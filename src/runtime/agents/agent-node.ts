import type { AgentReport, AgentTask, KnownAgent } from "../../sources/agents-port.ts";
import type { Emitter } from "../events/emitter.ts";
import type { RunTotals } from "../loop/run-totals.ts";
import type { RunEnd } from "../loop/run-types.ts";

/** An open child agent: runs its prompt to the end. */
export interface ChildRun {
  run(prompt: string, signal: AbortSignal): Promise<RunEnd>;
  readonly totals: RunTotals;
  /** What its starter should know about what it leaves behind; null if that is nothing. */
  close(): Promise<string | null>;
}

/** An agent that is to be opened. */
export interface NewAgent extends Pick<AgentTask, "agent" | "model"> {
  readonly id: string;
  /** Messages for it, which it removes as it reads them. */
  readonly inbox: string[];
}

/** The end of an agent, for the one that started it. */
export interface AgentEnd {
  readonly agentId: string;
  readonly agentType: string;
  readonly status: "completed" | "failed" | "stopped";
}

/** An agent that can start others: the session's own, or one of its children. */
export interface AgentNode {
  /** Null: the session's own. */
  readonly id: string | null;
  /** Levels under the session's own agent. */
  readonly depth: number;
  /** Null for the session's own. */
  readonly parent: AgentNode | null;
  /** The agents that it may start. */
  known(): readonly KnownAgent[];
  /** Opens a child agent. */
  open(child: NewAgent): Promise<ChildRun>;
  /** Reports the end of a background child. */
  report(end: AgentEnd): void;
  /** A message for the next request; false if nobody will read it. */
  tell(text: string): boolean;
}

export interface AgentTreePorts {
  readonly emit: Emitter["emit"];
  readonly now: () => number;
  /** Agents that worked for this session in an earlier process, by id. */
  readonly earlier: ReadonlyMap<string, AgentReport>;
}

export interface StartedAgent {
  readonly id: string;
  readonly task: AgentTask;
  readonly team: string | null;
  readonly toolCallId: string;
  readonly parent: AgentNode;
  readonly inbox: string[];
  readonly stop: AbortController;
  readonly began: number;
  status: AgentReport["status"];
  text: string;
  ended: number | null;
  child: ChildRun | null;
  /** Its own children that it waits for. */
  waitsFor: number;
  over: Promise<void>;
}
