import { createPassingMap } from "../../system/passing.ts";
import type { Emitter } from "../events/emitter.ts";
import type { Confirmation } from "./stream.ts";

/** Events of calls that start while the model still speaks. */
export interface EarlyEvents {
  readonly emit: Emitter["emit"];
  /** What happens in a call waits until the model has confirmed it or not. */
  follow(callId: string, confirmation: Confirmation): void;
}

/** Everybody learns of a message before the calls that it makes, however early those run. */
export function createEarlyEvents(emit: Emitter["emit"]): EarlyEvents {
  const waiting = createPassingMap<string, (() => void)[]>();
  return {
    emit(name, data, agent) {
      const early = waiting.size > 0 && "toolCallId" in data ? waiting.get(String(data.toolCallId)) : undefined;
      if (early === undefined) emit(name, data, agent);
      else early.push(() => emit(name, data, agent));
    },
    follow(callId, confirmation) {
      const early: (() => void)[] = [];
      waiting.set(callId, early);
      void confirmation.settled.then(() => {
        if (waiting.get(callId) === early) waiting.delete(callId);
        for (const report of early) report();
      });
    },
  };
}
