import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../../test/fixtures/any-character.ts";
import { drip } from "../../../test/fixtures/drip.ts";
import type { FrameEvent } from "./framing.ts";
import { CONTENT_LENGTH } from "./length-framing.ts";

const caps = { messageBytes: 64, skippedBytes: 256 };

function split(chunks: readonly Buffer[], given = caps): (FrameEvent | string)[] {
  const splitter = CONTENT_LENGTH.createSplitter(given);
  const events = chunks.flatMap((chunk) => [...splitter.push(chunk)]);
  return events.map((event) => (event.kind === "message" ? event.bytes.toString("utf8") : event));
}

const write = (...texts: readonly string[]) => Buffer.from(texts.map(CONTENT_LENGTH.wrap).join(""));
const single = (bytes: Buffer) => Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));

describe("messages with a length", () => {
  test("come out the same wherever the bytes are cut in two, also inside a character and inside the header", () => {
    const texts = ['{"a":"grün 𝄞"}', "", '{"b":"\\r\\n\\r\\nContent-Length: 3"}'];
    const bytes = write(...texts);
    for (let cut = 0; cut <= bytes.length; cut++)
      expect(split([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(texts);
    expect(split(single(bytes))).toEqual(texts);
  });

  test("come out as they went in, cut into any pieces", () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 60 }).filter((one) => Buffer.byteLength(one) <= 240);
    fc.assert(
      fc.property(fc.array(text), fc.array(fc.nat()), (texts, cuts) => {
        const bytes = write(...texts);
        const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
        const pieces = [0, ...at].map((from, index) => bytes.subarray(from, at[index] ?? bytes.length));
        // What is half a pair of surrogates cannot be written.
        expect(split(pieces, { messageBytes: 240, skippedBytes: 0 })).toEqual(
          texts.map((one) => Buffer.from(one).toString()),
        );
      }),
    );
  });

  test("that come byte by byte are not held in as many pieces", async () => {
    const splitter = CONTENT_LENGTH.createSplitter({ messageBytes: 100_000, skippedBytes: 0 });
    const text = "0123456789".repeat(2_000);
    expect([...splitter.push(Buffer.from("Content-Length: 20001\r\n\r\n"))]).toEqual([]);
    const held = await drip(text, (piece) => expect([...splitter.push(piece)]).toEqual([]));
    expect(held).toBeLessThan(100);
    expect([...splitter.push(Buffer.from("x"))]).toEqual([{ kind: "message", bytes: Buffer.from(`${text}x`) }]);
  });

  test("are whole up to the cap and thrown away beyond it, with the id that one of their ends tells", () => {
    const large = `{"jsonrpc":"2.0","id":7,"result":"${"x".repeat(100)}"}`;
    const bytes = write("a".repeat(64), "b".repeat(65), large, "c");
    const expected = [
      "a".repeat(64),
      { kind: "oversized", id: null, size: 65 },
      { kind: "oversized", id: 7, size: large.length },
      "c",
    ];
    expect(split([bytes])).toEqual(expected);
    expect(split(single(bytes))).toEqual(expected);
  });

  test.each([
    "content-length: 2\r\n\r\nok",
    "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length:2\r\n\r\nok",
    'CONTENT-LENGTH:\t 2 \r\nContent-Type: application/json; charset="UTF8"\r\nX-More: a: b\r\n\r\nok',
  ])("%j is one", (text) => {
    expect(split([Buffer.from(text)])).toEqual(["ok"]);
  });
});

describe("nothing is read after", () => {
  test.each([
    [
      "a message that is larger than is ever read",
      "Content-Length: 321\r\n\r\n",
      /^a message of 321 bytes .* 320 are the most$/,
    ],
    ["a length that no memory holds", `Content-Length: ${"9".repeat(15)}\r\n\r\n`, /^a message of 9{15} bytes/],
    ["a length that is no number", "Content-Length: 0x10\r\n\r\n", /does not give one length/],
    ["a negative length", "Content-Length: -1\r\n\r\n", /does not give one length/],
    ["an endless number", `Content-Length: ${"1".repeat(400)}\r\n\r\n`, /does not give one length/],
    ["two lengths", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n", /does not give one length/],
    ["no length", "Content-Type: application/json\r\n\r\n", /gives no length/],
    ["an empty header", "\r\n\r\n", /no field/],
    ["a line that is no field", '{"jsonrpc":"2.0"}\r\n\r\n', /no field/],
    ["other letters", "Content-Length: 2\r\nContent-Type: text/plain; charset=latin1\r\n\r\n", /not in UTF-8/],
    ["a header without an end", "x".repeat(5_000), /did not end within 4096 bytes/],
    ["lines that are written for another way of framing", '{"a":1}\n'.repeat(1_000), /did not end within 4096 bytes/],
  ])("%s", (_, text, why) => {
    const bytes = Buffer.from(`${text}Content-Length: 2\r\n\r\nok`);
    const expected = [{ kind: "broken", why: expect.stringMatching(why) }];
    expect(split([bytes])).toEqual(expected);
    expect(split(single(bytes))).toEqual(expected);
  });
});
