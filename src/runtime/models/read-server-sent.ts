import { createEventSplitter } from "../../system/rpc/event-splitter.ts";
import { ModelError } from "./model-error.ts";

/** Large enough for an image in base64; anything larger is no reply. */
const EVENT_BYTES = 32 * 1024 * 1024;

/** The last event of Chat Completions. */
const DONE = "[DONE]";

/** The parsed data of a stream's events. One that cannot be parsed breaks the reply off. */
export async function* readServerSent(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const splitter = createEventSplitter({ eventBytes: EVENT_BYTES, skippedBytes: 0 });
  try {
    for await (const chunk of body)
      for (const event of splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))) {
        if (event.kind !== "event") throw new ModelError("the reply holds an event of more than 32 MB");
        const data = dataOf(event.bytes.toString());
        if (data === DONE) return;
        if (data !== "") yield parse(data);
      }
  } finally {
    splitter.drop();
  }
}

/** Nearly every event is one line. */
const ONE_LINE = /^data: ([^\r\n]*)(?:\r\n|\r|\n)?$/;

function dataOf(event: string): string {
  const line = ONE_LINE.exec(event)?.[1];
  if (line !== undefined) return line;
  return event
    .split(/\r\n|\r|\n/)
    .flatMap((line) => (line.startsWith("data:") ? [line.slice(line.startsWith("data: ") ? 6 : 5)] : []))
    .join("\n");
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new ModelError("the reply holds an event that is not JSON", { isPassing: true, cause });
  }
}
