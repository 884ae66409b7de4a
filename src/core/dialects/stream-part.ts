import type { Call } from "../call/call.ts";

/** Why a model stopped, in one vocabulary for all providers. */
export type StopReason = "calls" | "end" | "length" | "refusal" | "pause" | "malformed" | "error" | "cut";

/** What a provider's stream says, as soon as it is known. Exactly one `stop` comes, and it comes last. */
export type StreamPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "refusal"; readonly text: string }
  /** A call was announced; its arguments are still coming. */
  | { readonly type: "call-start"; readonly index: number; readonly id: string; readonly toolName: string }
  /** The arguments are complete. Text that is no JSON is handed on as it is, for whoever answers the call to refuse. */
  | { readonly type: "call"; readonly index: number; readonly call: Call }
  /** These calls will never be confirmed, though they were complete or announced before. */
  | {
      readonly type: "dropped";
      readonly ids: readonly string[];
      readonly reason: "fallback" | "replaced" | "incomplete";
    }
  /** Only `confirmed` lets the calls so far run and be sent back. `raw` is the provider's own word. */
  | { readonly type: "stop"; readonly reason: StopReason; readonly confirmed: boolean; readonly raw: string | null };

/** Reads one response, event by event. */
export interface StreamReader {
  push(event: unknown): readonly StreamPart[];
  /** The events are over; `failed` when reading them broke off. */
  end(failed: boolean): readonly StreamPart[];
}

/** Reasons under which complete calls count as meant (X6). */
const CONFIRMING: ReadonlySet<StopReason> = new Set(["calls", "end"]);

export function toStop(reason: StopReason, raw: string | null): StreamPart {
  return { type: "stop", reason, confirmed: CONFIRMING.has(reason), raw };
}

/**
 * Runs a reader over events. The stop is told when the events are over: whoever stops listening then leaves nothing
 * behind, neither usage nor an SDK's final message. When their source breaks first, that is a stop, and an error then.
 */
export function readEvents(
  events: AsyncIterable<unknown> | Iterable<unknown>,
  reader: StreamReader,
): AsyncGenerator<StreamPart, void, undefined> {
  // Taken here and not with the first part: the streams of some SDKs lose what comes before somebody listens.
  const source = Symbol.asyncIterator in events ? events[Symbol.asyncIterator]() : events[Symbol.iterator]();
  return readFrom({ [Symbol.asyncIterator]: () => source as AsyncIterator<unknown> }, reader); // `for await` takes both.
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

/** A response that is all there already, as the parts its stream would have given. */
export function readWhole(events: Iterable<unknown>, reader: StreamReader): readonly StreamPart[] {
  const parts: StreamPart[] = [];
  for (const event of events) parts.push(...reader.push(event));
  return [...parts, ...reader.end(false)];
}

/** What an executor has to know of a stream: complete calls, calls that are off, and the stop. */
export async function* callsOf(
  parts: AsyncIterable<StreamPart> | Iterable<StreamPart>,
  onOther: (part: StreamPart) => void = () => {},
): AsyncGenerator<Extract<StreamPart, { type: "call" | "dropped" | "stop" }>, void, undefined> {
  for await (const part of parts) {
    if (part.type === "call" || part.type === "dropped" || part.type === "stop") yield part;
    else onOther(part);
  }
}
