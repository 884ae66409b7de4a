import type { Call } from "../../call/call.ts";

/** Why a model stopped, in one vocabulary for all providers. */
export type StopReason = "calls" | "end" | "length" | "refusal" | "pause" | "malformed" | "error" | "cut";

/** What a provider's stream contains, emitted as soon as it is known. There is exactly one `stop`, the last part. */
export type StreamPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "refusal"; readonly text: string }
  /** A call was announced; its arguments are still coming. */
  | { readonly type: "call-start"; readonly index: number; readonly id: string; readonly toolName: string }
  /** The arguments are complete. Text that is not JSON passes unchanged, to be refused later. */
  | { readonly type: "call"; readonly index: number; readonly call: Call }
  /** These calls will never be confirmed, though they were announced or complete. */
  | {
      readonly type: "dropped";
      readonly ids: readonly string[];
      readonly reason: "fallback" | "replaced" | "incomplete";
    }
  /** Only `confirmed` lets the calls so far run and be sent back. `raw` is the provider's own reason. */
  | { readonly type: "stop"; readonly reason: StopReason; readonly confirmed: boolean; readonly raw: string | null };

/** Reads one response, event by event. */
export interface StreamReader {
  push(event: unknown): readonly StreamPart[];
  /** The events have ended; `failed` if reading them broke off. */
  end(failed: boolean): readonly StreamPart[];
}

/** Reasons that confirm complete calls (X6). */
const CONFIRMING: ReadonlySet<StopReason> = new Set(["calls", "end"]);

export function toStop(reason: StopReason, raw: string | null): StreamPart {
  return { type: "stop", reason, confirmed: CONFIRMING.has(reason), raw };
}

/**
 * Runs a reader over events. The stop is emitted only after the last event, so that a caller who stops reading there
 * misses neither usage nor an SDK's final message. If the source fails first, that is a stop, then an error.
 */
export function readEvents(
  events: AsyncIterable<unknown> | Iterable<unknown>,
  reader: StreamReader,
): AsyncGenerator<StreamPart, void, undefined> {
  // Opened here and not with the first part: the streams of some SDKs lose what comes before somebody listens.
  const source = Symbol.asyncIterator in events ? events[Symbol.asyncIterator]() : events[Symbol.iterator]();
  return readFrom({ [Symbol.asyncIterator]: () => source as AsyncIterator<unknown> }, reader); // `for await` accepts both.
}

async function* readFrom(
  events: AsyncIterable<unknown>,
  reader: StreamReader,
): AsyncGenerator<StreamPart, void, undefined> {
  let stop: StreamPart | null = null;
  try {
    for await (const event of events)
      for (const part of reader.push(event)) {
        if (part.type === "stop") stop = part;
        else if (stop === null) yield part;
      }
  } catch (error) {
    if (stop === null) {
      yield* reader.end(true);
      throw error;
    }
  }
  if (stop === null) yield* reader.end(false);
  else yield stop;
}

/** A complete response as the parts of the equivalent stream. */
export function readWhole(events: Iterable<unknown>, reader: StreamReader): readonly StreamPart[] {
  const parts: StreamPart[] = [];
  for (const event of events) parts.push(...reader.push(event));
  return [...parts, ...reader.end(false)];
}
