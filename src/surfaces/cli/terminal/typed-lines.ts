/** What somebody types, message by message. */
export interface TypedLines {
  /** Shows what is asked for. What answers a question is not kept among what was typed. */
  prompt(text: string, what: "question" | "message"): void;
  /** The question is given up. */
  giveUp(): void;
  /** Shows what was said before it was asked for. */
  echo(prompt: string, said: string): void;
  /** Calls back for each message that somebody types, from now on, and where no more can come. Returns how to stop that. */
  onLine(listener: (line: string) => void, onEnd?: () => void): () => void;
}

/** A terminal whose last rows belong to what is typed, and everything else scrolls by above. */
export interface Screen extends TypedLines {
  /** Writes above; what does not end in a line break waits for the rest of its line. */
  print(text: string): void;
  /** The beginning of a line that is still being said. */
  showUnfinished(text: string): void;
  /** What goes on, in one line; null: nothing. */
  showStatus(text: string | null): void;
  /** Gives the terminal back as it was. Twice is fine. */
  close(): void;
}
