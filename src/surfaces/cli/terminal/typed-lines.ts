/** What somebody types, line by line. */
export interface TypedLines {
  /** Shows what is asked for. */
  prompt(text: string): void;
  /** Calls back for each line that somebody types, from now on, and where no more can come. Returns how to stop that. */
  onLine(listener: (line: string) => void, onEnd?: () => void): () => void;
}
