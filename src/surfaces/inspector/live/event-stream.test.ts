import { expect, test } from "vitest";
import { readEventData } from "./event-stream.ts";

test.each([
  ["one by one", ["data: a\n\n", "data: b\n\n"]],
  ["at once", ["data: a\n\ndata: b\n\n"]],
  ["in pieces", ["da", "ta: a\n", "\ndata", ": b\n\nda"]],
  ["with other fields and comments", [": here\n\nretry: 5\nevent: x\ndata: a\nid: 1\n\n: alive\n\ndata:b\n\n"]],
  ["with other line ends", ["data: a\r\n\r\ndata: b\r\r"]],
])("events that come %s are read once each", async (_, pieces) => {
  const found: string[] = [];
  for await (const event of readEventData(new Response(toStream(pieces)))) found.push(event);
  expect(found).toEqual(["a", "b"]);
});

test("the lines of one event stay together, and letters that were cut in two come whole", async () => {
  const bytes = new TextEncoder().encode("data: ü\ndata: 2\n\n");
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.slice(0, 7));
      controller.enqueue(bytes.slice(7));
      controller.close();
    },
  });
  const found: string[] = [];
  for await (const event of readEventData(new Response(stream))) found.push(event);
  expect(found).toEqual(["ü\n2"]);
});

function toStream(pieces: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
}
