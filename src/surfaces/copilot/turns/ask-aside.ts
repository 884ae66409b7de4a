import { DIALECTS } from "../../../core/dialects/dialects.ts";
import type { ModelRoute } from "../models/model-route.ts";
import type { Live } from "../state/live.ts";

/** A question beside the conversation: the model knows what was said, and nothing of this is kept. */
export async function askAside(live: Live, question: string, signal: AbortSignal): Promise<string> {
  const route = live.facts.get("route") as ModelRoute;
  await route.prepare();
  const payload = live.session.payload(route.wire);
  const asked = { role: "user", content: [{ type: "text", text: question }] } as const;
  const request = {
    ...{ payload, system: [], history: [...(await live.session.history()), asked], agent: null },
    ...{ maxTokens: null, effort: null, schema: null, cacheKey: live.id },
  };
  let text = "";
  for await (const part of DIALECTS[route.wire].readStream(route.stream(request, signal), payload.names))
    if (part.type === "text") text += part.text;
  return text;
}
