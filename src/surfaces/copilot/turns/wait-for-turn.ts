import type { Live } from "../state/live.ts";
import type { CopilotEvent } from "../wire/copilot-event.ts";
import { type Json, stated } from "../wire/wire-values.ts";
import { send } from "./turns.ts";

/** Sends and answers when the run is over, with the last thing that the model said. */
export async function waitForTurn(live: Live, params: Json): Promise<Json> {
  let response: CopilotEvent | undefined;
  let end: CopilotEvent | undefined;
  const waiting = waitersOf(live);
  const from = live.heard;
  const messageId = send(live, params);
  await new Promise<void>((resolve) => {
    let seen = from;
    const look = (): void => {
      for (const { at, event } of live.ring) {
        if (at <= seen) continue;
        seen = at;
        if (event.agentId !== undefined) continue;
        if (event.type === "assistant.message" && event.data.originatingMessageId === messageId) response = event;
        if (
          event.type === "session.idle" ||
          (event.type === "session.error" && event.data.originatingMessageId === messageId)
        )
          end ??= event;
      }
      if (end === undefined && live.closing === null) return;
      waiting.delete(look);
      resolve();
    };
    waiting.add(look);
    look();
  });
  if (end?.type === "session.error") throw new Error(String(end.data.message));
  return stated({ messageId, aborted: end?.data.aborted === true, response, completionEventId: end?.id }) as Json;
}

/** Whoever wants to look whenever something happened. */
export function waitersOf(live: Live): Set<() => void> {
  const known = live.facts.get("waiting") as Set<() => void> | undefined;
  const waiting = known ?? new Set<() => void>();
  if (known === undefined) live.facts.set("waiting", waiting);
  return waiting;
}
