import type { Eventual } from "../core/call/eventual.ts";
import type { AgentsPort } from "./agents-port.ts";
import type { Memory, Question } from "./people-port.ts";
import type { SchedulePort } from "./schedule-port.ts";

/** A configured address, with the headers that are sent along. */
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

/** How a command is to be started; a sandbox may wrap it. */
export interface Launch {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Paths where the sandbox mounts something that does not exist on the host. */
  readonly standIns?: readonly string[];
  /** Files and folders that the command sees empty because a rule denies reading them. */
  readonly covered?: readonly string[];
  /** The command that cleans up the above after the process was killed. */
  readonly tidy?: readonly string[];
}

/** The outcome of one statement. */
export interface SqlOutcome {
  /** Empty if the statement returns no rows. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Some rows were left out. */
  readonly more: boolean;
  readonly changes: number;
  readonly lastId: number;
}

/** Runs statements on the session's own database, all or none. The caller must have checked them. */
export type SessionSql = (
  statements: readonly string[],
  signal: AbortSignal,
) => Promise<{ readonly outcomes: readonly SqlOutcome[] } | { readonly failed: string }>;

/** The path of a session's plan among its files; all others are under `files/`. */
export const PLAN_FILE = "plan.md";

/** The plan and the private files of a session, by path. The caller must have checked the path. */
export interface SessionFiles {
  /** All files; size in bytes, null if unknown. */
  list(): Promise<readonly { readonly path: string; readonly size: number | null }[]>;
  /** Null if the file does not exist. */
  read(path: string): Promise<string | null>;
  /** Null deletes the file. Resolves to null on success, else to the reason for the failure. */
  write(path: string, text: string | null): Promise<string | null>;
}

/** Loads a skill: the location of its files and the text for the model. */
export type ActivateSkill = (
  name: string,
) => Promise<{ readonly folder: string; readonly prompt: string } | { readonly unknown: readonly string[] }>;

/** The key of the list of steps in `state`. */
export const TODO_KEY = "todo";

/**
 * The port through which built-in tools reach what only a session has. A missing handler is null, and a gate hides the
 * tools that need it, so nobody can call them.
 */
export interface Host {
  /** Absolute path of the workspace; null if there is none. */
  readonly workspace: string | null;
  /** Further folders that file tools may touch. */
  readonly addedDirectories: readonly string[];
  /** The environment; child processes get the allow-listed part. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly askUser: ((question: Question, signal: AbortSignal) => Promise<string>) | null;
  readonly memory: Memory | null;
  /** The search engine; `{query}` in its address is replaced by the search text. Null if none is configured. */
  readonly webSearch: WebAddress | null;
  /** The project's instructions for one of its files; null if the project has none at all. */
  readonly instructionsFor: ((path: string) => Promise<readonly string[]>) | null;
  readonly checks: readonly Check[];
  /** Wraps a command in the sandbox, if one is active. */
  readonly wrapLaunch: (launch: Launch) => Eventual<Launch>;
  readonly activateSkill: ActivateSkill | null;
  /** Presents a plan. Resolves to whether the session left plan mode, with the person's comment. */
  readonly approvePlan:
    | ((plan: string, signal: AbortSignal) => Promise<{ readonly approved: boolean; readonly feedback: string | null }>)
    | null;
  /** Runs subagents; null if unavailable. */
  readonly agents: AgentsPort | null;
  /** Stores prompts that run on a schedule; null if unavailable. */
  readonly schedules: SchedulePort | null;
  /** The session's own database; null if the session is not stored. */
  readonly database: SessionSql | null;
  /** The session's plan and files; null if the session is not stored. */
  readonly files: SessionFiles | null;
  readonly onTaskComplete: (summary: string) => void;
  /** Reports the new list of steps. */
  readonly onTodo: (items: readonly { readonly text: string; readonly status: string }[]) => void;
  /** State that built-ins keep for the length of the session, such as the list of steps. */
  readonly state: Map<string, unknown>;
}
