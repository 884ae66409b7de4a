import type { EventName, SessionEvents } from "../../core/events/event-types.ts";
import type { HiddenPieces, HiddenValues } from "../../system/text/hidden-values.ts";
import type { Emitter } from "./emitter.ts";

const DELTAS = ["assistant.message_delta", "assistant.reasoning_delta"] as const;
type Delta = (typeof DELTAS)[number];

/** Removes secret values from events before they are emitted or stored, also from texts that arrive in pieces. */
export function hideInEvents(emitter: Emitter, hidden: HiddenValues): Emitter {
  /** By agent, since turns of several run at once; then by kind and message. */
  const open = new Map<string | null, Map<string, HiddenPieces>>();
  const emitDelta = (name: Delta, messageId: string, deltaContent: string, agent: string | null): void => {
    if (deltaContent !== "") emitter.emit(name, { messageId, deltaContent }, agent);
  };
  const push = (name: Delta, { messageId, deltaContent }: SessionEvents[Delta], agent: string | null): void => {
    const ofAgent = open.get(agent) ?? new Map<string, HiddenPieces>();
    open.set(agent, ofAgent);
    const key = `${name} ${messageId}`;
    const pieces = ofAgent.get(key) ?? hidden.pieces();
    ofAgent.set(key, pieces);
    emitDelta(name, messageId, pieces.push(deltaContent), agent);
  };
  const finish = (messageId: string, agent: string | null): void => {
    for (const name of DELTAS)
      emitDelta(name, messageId, open.get(agent)?.get(`${name} ${messageId}`)?.end() ?? "", agent);
  };
  return {
    ...emitter,
    emit<Name extends EventName>(name: Name, data: SessionEvents[Name], agent: string | null = null) {
      if (hidden.isEmpty) return emitter.emit(name, data, agent);
      const delta = DELTAS.find((one) => one === name);
      if (delta !== undefined) return push(delta, data as SessionEvents[Delta], agent); // As the name says.
      if (name === "assistant.message") finish((data as SessionEvents["assistant.message"]).messageId, agent);
      // A reply that was cut off has no message: its withheld end is never emitted.
      if (name === "assistant.turn_end") open.delete(agent);
      emitter.emit(name, hidden.data(data), agent);
    },
  };
}
