import type { Eventual } from "../core/call/eventual.ts";
import type { AgentsPort } from "./agents-port.ts";
import type { SchedulePort } from "./schedule-port.ts";

/** A question to the person behind the session. */
export interface Question {
  readonly question: string;
  readonly choices: readonly string[];
}

/** Facts that outlive a session; other back ends can stand behind this seam. */
export interface Memory {
  /** Keeps a fact. */
  store(subject: string, fact: string, signal: AbortSignal): Promise<void>;
  /** The facts that a query finds; all of them where it is null. */
  recall(query: string | null, signal: AbortSignal): Promise<readonly Fact[]>;
}

interface Fact {
  /** What it is about. */
  readonly subject: string;
  /** The fact itself, in words. */
  readonly fact: string;
}

/** An address that somebody configured, with what is sent along. */
export interface WebAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** One of the project's own checks, as configured. */
export interface Check {
  readonly name: string;
  readonly command: readonly string[];
  readonly timeout: number | null;
}

/** How a command is to be started; a sandbox puts itself in front of it. */
export interface Launch {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Paths at which a sandbox shows something that is not there. */
  readonly standIns?: readonly string[];
  /** Files and folders that the command finds empty, because rules deny reading them. */
  readonly covered?: readonly string[];
  /** What to run once it was killed, to take them away. */
  readonly tidy?: readonly string[];
}

/** What became of one statement. */
export interface SqlOutcome {
  /** None where it returns no rows. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Rows were left out. */
  readonly more: boolean;
  readonly changes: number;
  readonly lastId: number;
}

/** Runs statements on the session's own database, all of them or none; whoever calls has looked at them before. */
export type SessionSql = (
  statements: readonly string[],
  signal: AbortSignal,
) => Promise<{ readonly outcomes: readonly SqlOutcome[] } | { readonly failed: string }>;

/** Where the plan of a session lies among its files; all others lie below `files/`. */
export const PLAN_FILE = "plan.md";

/** The plan and the private files of a session, by path. Whoever calls has looked at the path before. */
export interface SessionFiles {
  /** All of them; sizes in bytes, null where nobody knows. */
  list(): Promise<readonly { readonly path: string; readonly size: number | null }[]>;
  /** Null where there is no such file. */
  read(path: string): Promise<string | null>;
  /** Null takes it away. Resolves to why it was not done, and to null where it was. */
  write(path: string, text: string | null): Promise<string | null>;
}

/** Loads a skill: where its files are and what the model should now know. */
export type ActivateSkill = (
  name: string,
) => Promise<{ readonly folder: string; readonly prompt: string } | { readonly unknown: readonly string[] }>;

/** Where the list of steps lies in what built-ins keep. */
export const TODO_KEY = "todo";

/**
 * The port through which built-in tools reach what only a session has. A missing handler is null, and the gate of
 * whatever needs it hides the tool before anybody can call it.
 */
export interface Host {
  /** Absolute path of the workspace; null where there is none. */
  readonly workspace: string | null;
  /** Further folders that file tools may touch. */
  readonly addedDirectories: readonly string[];
  /** The environment from which children get their allow-listed part. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly askUser: ((question: Question, signal: AbortSignal) => Promise<string>) | null;
  readonly memory: Memory | null;
  /** The search engine; `{query}` in its address stands for what is looked for. Null where none is configured. */
  readonly webSearch: WebAddress | null;
  /** What the project says about one of its files; null where it says nothing about any. */
  readonly instructionsFor: ((path: string) => Promise<readonly string[]>) | null;
  readonly checks: readonly Check[];
  /** Puts the sandbox, if any, in front of a command. */
  readonly wrapLaunch: (launch: Launch) => Eventual<Launch>;
  readonly activateSkill: ActivateSkill | null;
  /** Presents a plan; resolves to whether the session left plan mode, with what the person said. */
  readonly approvePlan:
    | ((plan: string, signal: AbortSignal) => Promise<{ readonly approved: boolean; readonly feedback: string | null }>)
    | null;
  /** Runs agents that work for this one; null where nothing does. */
  readonly agents: AgentsPort | null;
  /** Keeps prompts that are said again and again; null where nothing does. */
  readonly schedules: SchedulePort | null;
  /** A database of the session's own; null where the session is not stored. */
  readonly database: SessionSql | null;
  /** Its plan and files; null where the session is not stored. */
  readonly files: SessionFiles | null;
  readonly onTaskComplete: (summary: string) => void;
  /** The list of steps is this from now on. */
  readonly onTodo: (items: readonly { readonly text: string; readonly status: string }[]) => void;
  /** What built-ins keep for the length of the session, such as the list of steps. */
  readonly state: Map<string, unknown>;
}
