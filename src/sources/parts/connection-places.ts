/** Places for connections that one person alone uses: only so many run at once, and none for longer than it is used. */
export interface ConnectionPlaces {
  /** Milliseconds without use after which a connection ends. */
  readonly idle: number;
  /**
   * Takes a place before a start, which may end a connection that nobody uses now; returns how to give it back. A text:
   * why there is none, as a clause that follows "because".
   */
  take(holder: PlaceHolder): (() => void) | string;
}

/** A connection in its place. */
export interface PlaceHolder {
  /** It runs, and nothing uses it now. */
  readonly isIdle: boolean;
  /** When it was last used. */
  readonly usedAt: number;
  /** Ends it and gives its place back; the next use starts it again. */
  rest(): void;
}
