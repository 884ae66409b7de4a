/** A line of code that `run_code` ran. */
export interface CodeLine {
  readonly line: number;
  /** The text of the line. */
  readonly text: string;
}

/** A request to run a tool, as a model or a client made it. */
export interface Call {
  readonly id: string;
  readonly toolName: string;
  /** Parsed JSON of any shape, not yet checked against the tool's schema. */
  readonly arguments: unknown;
  /** The call inside which this one was made and whose slot it uses. */
  readonly parentId?: string;
  /** The line of code that made this call. */
  readonly codeLine?: CodeLine;
}
