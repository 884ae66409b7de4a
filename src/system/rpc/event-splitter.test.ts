import fc from "fast-check";
import { expect, test } from "vitest";
import { createEventSplitter, type StreamEvent } from "./event-splitter.ts";

const caps = { eventBytes: 1_000, skippedBytes: 1_000 };

function split(chunks: readonly Buffer[], given = caps): StreamEvent[] {
  const splitter = createEventSplitter(given);
  return chunks.flatMap((chunk) => [...splitter.push(chunk)]);
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}

/** What a reader of events makes of it, by the letter of the standard. */
function understood(text: string): unknown[] {
  const events: unknown[] = [];
  let fields = new Map<string, string[]>();
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [, name = line, value = ""] = /^([^:]*): ?(.*)$/su.exec(line) ?? [];
    if (line !== "") fields.set(name, [...(fields.get(name) ?? []), value]);
    else {
      const data = fields.get("data");
      if (data !== undefined) events.push({ data, id: fields.get("id")?.at(-1), event: fields.get("event")?.at(-1) });
      fields = new Map();
    }
  }
  return events;
}

const streams = fc
  .array(fc.constantFrom("data: ", "id: 1", "event: e", ":", ": note", "a", "é", "\r", "\n", "\r\n", "\n\n"), {
    maxLength: 40,
  })
  .map((parts) => Buffer.from(parts.join("")));

test("events are the same ones that a reader would find, however the bytes are cut", () => {
  fc.assert(
    fc.property(streams, fc.array(fc.nat(), { maxLength: 10 }), (bytes, cuts) => {
      // The last return may be half of a line's end.
      const whole = Buffer.concat([bytes, Buffer.from("\n\n")]);
      const events = split(cutAt(whole, cuts)).map((event) => (event.kind === "event" ? `${event.bytes}\n\n` : ""));
      expect(understood(events.join(""))).toEqual(understood(whole.toString()));
    }),
    { numRuns: 500 },
  );
});

test("comments take no room, however many there are", () => {
  const splitter = createEventSplitter(caps);
  const comments = Buffer.from(": still here\n".repeat(1_000));
  expect([...splitter.push(Buffer.from("data: a\n")), ...splitter.push(comments)]).toEqual([]);
  expect(splitter.held).toBe(8);
});

test("an event of many lines beyond the cap is thrown away, and tells whose it was", () => {
  const lines = `data: ${"x".repeat(90)}\n`.repeat(11);
  const events = split([Buffer.from(`data: {"jsonrpc":"2.0","id":7,\n${lines}\ndata: next\n\n`)]);
  expect(events).toMatchObject([{ kind: "oversized", id: 7 }, { kind: "event" }]);
});

test("an event that does not end is told as soon as too much was thrown away", () => {
  const splitter = createEventSplitter(caps);
  const line = Buffer.from("data: 0123456789\n");
  const pushed = Array.from({ length: 118 }, () => [...splitter.push(line)]);
  expect(pushed.flat()).toEqual([{ kind: "endless" }]);
  expect(splitter.held).toBe(0);
});
