import type { SessionEvent } from "../../core/events/envelope.ts";
import type { Emitter } from "../events/emitter.ts";
import type { Run, RunEnd } from "./run-types.ts";

/** Its events begin with its own message, also for a late subscriber; at once where that was said before. */
export function createRun(messageId: string, end: Promise<RunEnd>, on: Emitter["on"], isSaid = false): Run {
  const events: SessionEvent[] = [];
  let wake: (() => void)[] = [];
  let isOver = false;
  const wakeReader = (): void => {
    for (const go of wake) go();
    wake = [];
  };
  let isBegun = isSaid;
  const stop = on("*", (event) => {
    isBegun ||= event.type === "user.message" && event.data.messageId === messageId;
    if (!isBegun) return;
    events.push(event);
    wakeReader();
  });
  const finish = (): void => {
    isOver = true;
    stop();
    wakeReader();
  };
  end.then(finish, finish);
  return {
    messageId,
    // biome-ignore lint/suspicious/noThenProperty: a run is awaited for its end, as its type says.
    then: (onEnd, onError) => end.then(onEnd, onError),
    catch: (onError) => end.catch(onError),
    finally: (onOver) => end.finally(onOver),
    async *[Symbol.asyncIterator]() {
      for (let at = 0; ; at += 1) {
        while (at >= events.length && !isOver) await new Promise<void>((resolve) => wake.push(resolve));
        const event = events[at];
        if (event === undefined) break;
        yield event;
      }
      // A loop that just stops would look like a run that ended well.
      await end;
    },
  };
}
