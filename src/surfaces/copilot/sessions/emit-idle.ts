import { pause } from "../../../system/time/until-aborted.ts";
import { withTimeout } from "../../../system/time/with-timeout.ts";
import { askClient, emitPassing, type SessionCore } from "../state/session-core.ts";
import type { ClientSession } from "./client-session.ts";

/** Nothing runs and nothing waits; agents that still work for the session will go on with it. */
export function emitIdle(live: ClientSession): void {
  if (!isIdle(live)) return;
  if (!live.events.hasError) {
    emitNow(live);
    return;
  }
  const { core, turns } = live;
  const { runs } = turns;
  const emitLate = (): void => {
    if (turns.runs === runs && isIdle(live) && core.closing === null) emitNow(live);
  };
  pauseAfterError(core).then(emitLate, emitLate);
}

function isIdle({ agents, turns }: ClientSession): boolean {
  return turns.running === null && agents.background.size === 0;
}

function emitNow({ core, turns }: ClientSession): void {
  emitPassing(core, "session.idle", turns.isAborted ? { aborted: true } : {});
}

/** Milliseconds that clients have to say that they read the error, and then those to send once more. */
const READING = 1_000;
const SENDING = 100;

/**
 * Clients fail what waits for a turn with its error, and end with the next idle what waits by then: an app that sends
 * once more at once would have no answer. So the idle of a failed turn lets such a message come first, whose own idle follows.
 * No client knows the request, and each refuses it behind all that it sent in answer to the error.
 */
async function pauseAfterError(core: SessionCore): Promise<void> {
  const { around, over } = core.server;
  const connections = [...core.clients.keys()];
  await withTimeout(around.clock, READING, over, (signal) =>
    Promise.allSettled(connections.map((connection) => askClient(core, connection, "ping", {}, signal))),
  );
  await pause(around.clock, SENDING, over);
}
