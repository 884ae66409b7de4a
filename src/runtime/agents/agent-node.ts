import type { AgentReport, AgentTask, KnownAgent } from "../../sources/agents-port.ts";
import type { Emitter } from "../events/emitter.ts";
import type { RunEnd } from "../loop/run-loop.ts";
import type { RunTotals } from "../loop/run-totals.ts";

/** A child that is open: runs its prompt to the end. */
export interface ChildRun {
  run(prompt: string, signal: AbortSignal): Promise<RunEnd>;
  readonly totals: RunTotals;
  /** What whoever started it should know of what it leaves behind; null where that is nothing. */
  close(): Promise<string | null>;
}

/** An agent that is to be opened. */
export interface NewAgent {
  readonly id: string;
  readonly agent: string;
  /** Messages for it; it takes them out as it reads them. */
  readonly inbox: string[];
}

/** One that is over, for whoever started it. */
export interface AgentEnd {
  readonly agentId: string;
  readonly agentType: string;
  readonly status: "completed" | "failed" | "stopped";
}

/** An agent that can start others: the session's own, or one below it. */
export interface AgentNode {
  /** Null: the session's own. */
  readonly id: string | null;
  /** How far below the session's own. */
  readonly depth: number;
  /** Null for the session's own. */
  readonly parent: AgentNode | null;
  /** Opens an agent that works for this one. */
  open(child: NewAgent): Promise<ChildRun>;
  /** A background agent of this one is over. */
  report(end: AgentEnd): void;
  /** A message to read at the next request; false where nobody will read it. */
  tell(text: string): boolean;
}

export interface AgentTreePorts {
  readonly known: () => readonly KnownAgent[];
  readonly emit: Emitter["emit"];
  readonly now: () => number;
  /** Those that worked for this session in an earlier process, by id. */
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
  /** Agents of its own that it waits for. */
  waitsFor: number;
  over: Promise<void>;
}
