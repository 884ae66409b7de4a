/** A parsed shell command line as data: a grammar elsewhere reads it, the rules here judge it. */
export interface CommandLine {
  readonly text: string;
  /** Every simple command in reading order; those in strings and wrappers are nested below the one that runs them. */
  readonly commands: readonly ShellCommand[];
  /** Why the line may not be allowed, whatever the rules say. Deny rules still apply to the commands that were read. */
  readonly problems: readonly ShellProblem[];
  /** Loops or functions: later text may run before earlier text. */
  readonly repeats: boolean;
  /** Variables that loops set. */
  readonly loopVariables: readonly string[];
}

export interface ShellCommand {
  /** The argument vector after quote removal and brace expansion; empty for bare assignments and redirections. */
  readonly words: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirections: readonly ShellRedirection[];
  /** Its input comes from another command. */
  readonly piped: boolean;
  /** Its output becomes part of the line. */
  readonly captured?: true;
  /** The commands that this one runs. */
  readonly inner: readonly InnerCommands[];
}

export interface ShellWord {
  /** The text after quote removal; U+FFFC replaces what only the shell can know. */
  readonly text: string;
  /** The text is complete: no expansion, no file name pattern. */
  readonly isStatic: boolean;
  /** An unquoted `*`, `?` or `[…]`. */
  readonly hasGlob: boolean;
  /** Starts with an unquoted `~`. */
  readonly hasTilde: boolean;
  /** For unknown text: it may become several words, it is surely no option, or it is a file below the folder. */
  readonly nature?: "several" | "operand" | "below";
}

interface ShellAssignment {
  readonly name: string;
  readonly value: ShellWord;
}

export interface ShellRedirection {
  readonly effect: "read" | "write" | "descriptor" | "text";
  /** As written: `>`; for `2>&1` it is `>&`. */
  readonly operator: string;
  readonly target: ShellWord;
}

export interface InnerCommands {
  /** An allow rule may look through the outer command at these. */
  readonly transparent: boolean;
  /** Only deny and ask rules consider it: it may not run at all. */
  readonly guessed: boolean;
  /** Index in the outer words where it starts; null for text that was read as a command line. */
  readonly at: number | null;
  readonly commands: readonly ShellCommand[];
}

export interface ShellProblem {
  /** `syntax`: not bash, or ambiguous; `limit`: too much to judge; `unreadable`: not even deny rules can be applied. */
  readonly kind: "syntax" | "limit" | "control" | "expansion" | "unreadable";
  readonly text: string;
}

/** Replaces what only the shell can know. */
export const UNKNOWN_TEXT = "\ufffc";

/** What a process substitution expands to: never an option, and no existing file. */
export const PROCESS_FILE = "/dev/fd/63";
