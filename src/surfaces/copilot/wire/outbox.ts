import type { Writable } from "node:stream";
import { CONTENT_LENGTH } from "../../../system/rpc/length-framing.ts";

/** What may wait for a client that does not read. */
const MOST_UNREAD = 32 * 1024 * 1024;

/**
 * Turns of the event loop for which an answer waits for what follows from it, so that both are one write: each write wakes
 * the client. What a client said about a call is stored in one turn, and what the call came to in another.
 */
const PATIENCE = 5;

/** Messages to one client. */
export interface Outbox {
  readonly send: (message: object) => void;
  /** The same for what nobody is in a hurry for. */
  readonly sendSoon: (message: object) => void;
  /** Writes what is left; anything sent after that is dropped. */
  end(): void;
}

export function createOutbox(output: Writable, onUnread: () => void): Outbox {
  let unsent = "";
  /** Turns to wait; null while nothing is there to send. */
  let turns: number | null = null;
  let isOver = false;
  const flush = (): void => {
    turns = null;
    if (unsent !== "") output.write(unsent);
    unsent = "";
  };
  const turn = (): void => {
    if (turns === null) return;
    turns -= 1;
    if (turns > 0) setImmediate(turn);
    else flush();
  };
  /** All that happens before the next look at the outside goes out in one piece. */
  const add = (message: object, patience: number): void => {
    if (isOver) return;
    if (turns === null) setImmediate(turn);
    turns = Math.min(turns ?? patience, patience);
    unsent += CONTENT_LENGTH.wrap(JSON.stringify(message));
    if (output.writableLength + unsent.length > MOST_UNREAD) onUnread();
  };
  return {
    send: (message) => add(message, 1),
    sendSoon: (message) => add(message, PATIENCE),
    end() {
      isOver = true;
      flush();
    },
  };
}
