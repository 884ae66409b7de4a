import { buildCatalog } from "../../core/catalog/catalog.ts";
import { DIALECTS, payloadFor } from "../../core/dialects/dialects.ts";
import { DEFAULT_SCENE } from "../../core/scene/default-scene.ts";
import { buildToolset } from "../../core/toolset/build-toolset.ts";
import type { ModelClient, TokenUsage } from "./model.ts";

/** One question to a model that has no tools and no history. */
export interface TextQuestion {
  readonly task: string;
  readonly text: string;
  readonly maxTokens: number | null;
}

export interface TextAnswer {
  readonly text: string;
  /** The model finished; false if it was cut short. */
  readonly isWhole: boolean;
  readonly usage: TokenUsage | null;
}

export async function askText(
  model: ModelClient,
  { task, text: question, maxTokens }: TextQuestion,
  signal: AbortSignal,
): Promise<TextAnswer> {
  const payload = payloadFor(model.wire, buildToolset(buildCatalog([]), DEFAULT_SCENE));
  const watch = model.watch();
  const events = model.stream(
    {
      payload,
      system: [{ id: "task", text: task }],
      history: [{ role: "user", content: [{ type: "text", text: question }] }],
      agent: null,
      maxTokens,
      effort: null,
      schema: null,
      cacheKey: null,
    },
    signal,
  );
  let [text, isWhole] = ["", false];
  for await (const part of DIALECTS[model.wire].readStream(watched(events, watch.push), payload.names)) {
    if (part.type === "text") text += part.text;
    if (part.type === "stop") isWhole = part.reason === "end";
  }
  return { text, isWhole, usage: watch.usage };
}

async function* watched(events: AsyncIterable<unknown>, push: (event: unknown) => unknown): AsyncGenerator<unknown> {
  for await (const event of events) {
    push(event);
    yield event;
  }
}
