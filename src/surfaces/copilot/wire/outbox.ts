import type { Writable } from "node:stream";
import { CONTENT_LENGTH } from "../../../system/rpc/length-framing.ts";

/** What may wait for a client that does not read. */
const MOST_UNREAD = 32 * 1024 * 1024;

/** Messages to one client. */
export interface Outbox {
  readonly send: (message: object) => void;
  /** Writes what is left; anything sent after that is dropped. */
  end(): void;
}

export function createOutbox(output: Writable, onUnread: () => void): Outbox {
  let unsent = "";
  let isOver = false;
  const flush = (): void => {
    if (unsent !== "") output.write(unsent);
    unsent = "";
  };
  return {
    send(message) {
      if (isOver) return;
      // All that happens before the next look at the outside goes out in one piece.
      if (unsent === "") setImmediate(flush);
      unsent += CONTENT_LENGTH.wrap(JSON.stringify(message));
      if (output.writableLength + unsent.length > MOST_UNREAD) onUnread();
    },
    end() {
      isOver = true;
      flush();
    },
  };
}
