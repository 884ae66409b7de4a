import type { Cursor } from "./cursor.ts";

/**
 * Tracks which commands of a list may read the output of others: those after a pipe, and for a group everything in it.
 * The cursor knows whether the current command does, so that substitutions do too.
 */
export interface InputScopes {
  /** A compound command starts. */
  open(): void;
  close(): void;
  /** Reads a subshell, which counts as a compound command. */
  around(read: () => void): void;
  /** A command ends. */
  end(): void;
  /** The compound command that has just ended gets an input. */
  feedClosed(): void;
  /** The shell itself gets an input, as with `exec < file`. */
  feedRest(): void;
}

interface Group {
  isFed: boolean;
  /** The index of its first command among all found. */
  readonly from: number;
}

export function createInputScopes(cursor: Cursor): InputScopes {
  const { commands } = cursor.findings;
  const groups: Group[] = [{ isFed: cursor.isFed, from: commands.length }];
  let closed: Group | null = null;
  const scopes: InputScopes = {
    open() {
      closed = null;
      groups.push({ isFed: cursor.isFed, from: commands.length });
    },
    close() {
      if (groups.length > 1) closed = groups.pop() ?? null;
    },
    around(read) {
      scopes.open();
      read();
      scopes.close();
    },
    end() {
      closed = null;
      cursor.isFed = groups.at(-1)?.isFed === true;
    },
    feedClosed() {
      for (let at = closed?.from ?? commands.length; at < commands.length; at++) {
        const command = commands[at];
        if (command?.piped === false) commands[at] = { ...command, piped: true };
      }
    },
    feedRest() {
      for (const group of groups) group.isFed = true;
    },
  };
  return scopes;
}
