import { loadedIn } from "../../../core/dialects/contract/dialect.ts";
import { DIALECTS } from "../../../core/dialects/dialects.ts";
import { sceneModel } from "../models/model-state.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import type { CopilotEvent } from "../state/event-log.ts";
import { dropUndefined, type Json } from "../wire/wire-values.ts";
import { send } from "./turns.ts";

/** Sends and answers when the run is over, with the last thing that the model said. */
export async function waitForTurn(live: ClientSession, params: Json): Promise<Json> {
  const { core, events } = live;
  let response: CopilotEvent | undefined;
  let end: CopilotEvent | undefined;
  let seen = events.last;
  const messageId = send(live, params);
  await new Promise<void>((resolve) => {
    const look = (): void => {
      for (const { at, event } of events.ring) {
        if (at <= seen) continue;
        seen = at;
        const { type, data, agentId } = event;
        if (agentId !== undefined) continue;
        const isOurs = data.originatingMessageId === messageId;
        if (type === "assistant.message" && isOurs) response = event;
        if (type === "session.idle" || (type === "session.error" && isOurs)) end ??= event;
      }
      if (end === undefined && core.closing === null) return;
      events.waiting.delete(look);
      resolve();
    };
    events.waiting.add(look);
    look();
  });
  if (end?.type === "session.error") throw new Error(String(end.data.message));
  return dropUndefined({
    messageId,
    aborted: end?.data.aborted === true,
    response,
    completionEventId: end?.id,
  }) as Json;
}

/** A question beside the conversation: the model knows what was said, and nothing of this is stored. */
export async function askAside(
  { core, findModel }: ClientSession,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  const { session } = core;
  const model = await findModel(sceneModel(core));
  const history = await session.history();
  const payload = session.payload(model.wire, { promoted: loadedIn(history) });
  const asked = { role: "user", content: [{ type: "text", text: question }] } as const;
  const request = {
    ...{ payload, system: [], history: [...history, asked], agent: null },
    ...{ maxTokens: null, effort: null, schema: null, cacheKey: core.id },
  };
  let text = "";
  for await (const part of DIALECTS[model.wire].readStream(model.stream(request, signal), payload.names))
    if (part.type === "text") text += part.text;
  return text;
}
