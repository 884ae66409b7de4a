import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drip } from "../../../test/fixtures/drip.ts";
import type { FrameEvent } from "./framing.ts";
import { LINES } from "./line-framing.ts";

const caps = { messageBytes: 64, skippedBytes: 256 };

function split(chunks: readonly Buffer[], given = caps): FrameEvent[] {
  const splitter = LINES.createSplitter(given);
  return chunks.flatMap((chunk) => [...splitter.push(chunk)]);
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
}

const show = (event: FrameEvent) => (event.kind === "message" ? event.bytes.toString("latin1") : event);

describe("lines", () => {
  test("that come byte by byte are not held in as many pieces", async () => {
    const splitter = LINES.createSplitter({ messageBytes: 100_000, skippedBytes: 0 });
    const text = "0123456789".repeat(2_000);
    const held = await drip(text, (piece) => expect([...splitter.push(piece)]).toEqual([]));
    expect(held).toBeLessThan(100);
    expect([...splitter.push(Buffer.from("\n"))].map(show)).toEqual([text]);
  });

  test("come out the same however the bytes are cut", () => {
    const lines = fc.array(
      fc.string({ unit: "binary-ascii", maxLength: 150 }).map((line) => line.replaceAll("\n", " ")),
    );
    fc.assert(
      fc.property(lines, fc.array(fc.nat()), (texts, cuts) => {
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""), "latin1");
        expect(split(cutAt(bytes, cuts)).map(show)).toEqual(split([bytes]).map(show));
        expect(split([bytes])).toHaveLength(texts.length);
      }),
    );
  });

  test("one that is all that was read is told from everything else, and means the same", () => {
    const bytes = fc
      .string({ unit: fc.constantFrom("a", "é", "\r", "\n"), maxLength: 80 })
      .map((text) => Buffer.from(text));
    fc.assert(
      fc.property(bytes, bytes, (before, chunk) => {
        const splitter = LINES.createSplitter(caps);
        const isBegun = [...splitter.push(before)].some(({ kind }) => kind === "broken") || before.at(-1) !== 0x0a;
        const taken = splitter.takeWhole(chunk);
        const events = [...splitter.push(chunk)];
        const [event] = events;
        const isWhole = chunk.at(-1) === 0x0a && events.length === 1 && event?.kind === "message";
        const expected = isWhole && (before.length === 0 || !isBegun) ? event.bytes.toString("utf8") : null;
        expect(taken).toBe(expected);
      }),
    );
  });

  test("are whole up to the cap and thrown away beyond it", () => {
    const events = split([Buffer.from(`${"a".repeat(64)}\n${"b".repeat(65)}\nc\r\n`)]);
    expect(events.map(show)).toEqual(["a".repeat(64), { kind: "oversized", id: null, size: 65 }, "c"]);
  });

  test("a character that is cut in two is put together again", () => {
    const bytes = Buffer.from("grün\n");
    const [event] = split([bytes.subarray(0, 3), bytes.subarray(3)]);
    expect(event?.kind === "message" && event.bytes.toString("utf8")).toBe("grün");
  });

  test("an endless one is told as soon as too much was thrown away", () => {
    const events = split(Array.from({ length: 33 }, () => Buffer.alloc(10, "x")));
    expect(events).toEqual([{ kind: "broken", why: "a line did not end within 320 bytes" }]);
  });
});

describe("the id of a message that is too large", () => {
  const filler = "x".repeat(2_000);
  const roomy = { messageBytes: 64, skippedBytes: 10_000 };

  test.each([
    [`{"result":{"text":"${filler}"},"jsonrpc":"2.0","id":7}`, 7],
    [`{"jsonrpc":"2.0","id":7,"result":{"text":"${filler}"}}`, 7],
    [`{"id":"listen:1","jsonrpc":"2.0","result":{"text":"${filler}"}}`, "listen:1"],
    [`{"result":{"text":"${filler}"},"jsonrpc":"2.0","id":"a\\"b"}`, 'a"b'],
    [`{"result":{"text":"${filler}","inner":{"x":1,"id":9}},"jsonrpc":"2.0"}`, null],
    [`{"result":{"text":"${filler} ,\\"id\\":9}"}}`, null],
    [`{"method":"notifications/message","params":{"id":9,"data":"${filler}"}}`, null],
    [`not json at all ${filler}`, null],
  ])("%#: is read from one of its ends, and from nowhere else", (line, id) => {
    const bytes = Buffer.from(`${line}\n`);
    for (const cut of [1, 63, 700, line.length - 3]) {
      expect(split([bytes.subarray(0, cut), bytes.subarray(cut)], roomy)).toMatchObject([{ kind: "oversized", id }]);
    }
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    for (const messageBytes of [64, line.length - 1, line.length - 3]) {
      expect(split(single, { ...roomy, messageBytes })).toMatchObject([{ kind: "oversized", id }]);
    }
  });
});
