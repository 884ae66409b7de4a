/** What a shell command line is made of, as data: read by a grammar elsewhere, judged here. */
export interface CommandLine {
  readonly text: string;
  /** Every simple command in reading order; those inside strings and wrappers hang below the command that runs them. */
  readonly commands: readonly ShellCommand[];
  /** Why the line may not be allowed, whatever the rules say. Deny rules still apply to the commands that were read. */
  readonly problems: readonly ShellProblem[];
  /** Loops or functions: what stands later in the text may run before what stands earlier. */
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
  /** What it prints becomes text of the line. */
  readonly captured?: true;
  /** The commands that this one runs. */
  readonly inner: readonly InnerCommands[];
}

export interface ShellWord {
  /** The text after quote removal; what only the shell can know stands as U+FFFC. */
  readonly text: string;
  /** The text is all there is to know: no expansion, no file name pattern. */
  readonly isStatic: boolean;
  /** An unquoted `*`, `?` or `[…]`. */
  readonly hasGlob: boolean;
  /** Starts with an unquoted `~`. */
  readonly hasTilde: boolean;
  /** Of text that only the shell knows: it may become several words, it is surely no option, or a file below the folder. */
  readonly nature?: "several" | "operand" | "below";
}

interface ShellAssignment {
  readonly name: string;
  readonly value: ShellWord;
}

export interface ShellRedirection {
  readonly effect: "read" | "write" | "descriptor" | "text";
  /** As it is written: `>`, `2>&1` has `>&`. */
  readonly operator: string;
  readonly target: ShellWord;
}

export interface InnerCommands {
  /** An allow rule may look through the outer command at these. */
  readonly transparent: boolean;
  /** Only deny and ask rules look at it: whether it is run at all is not known. */
  readonly guessed: boolean;
  /** Where in the outer words it starts; null where it is text that was read as a command line. */
  readonly at: number | null;
  readonly commands: readonly ShellCommand[];
}

export interface ShellProblem {
  /** `syntax`: not bash, or two readings of it differ; `limit`: too much of it to judge; `unreadable`: not even deny rules can be held against it. */
  readonly kind: "syntax" | "limit" | "control" | "expansion" | "unreadable";
  readonly text: string;
}

/** Stands for what only the shell can know. */
export const UNKNOWN_TEXT = "\ufffc";

/** What a process substitution expands to: never an option, and never a file of anybody's. */
export const PROCESS_FILE = "/dev/fd/63";
