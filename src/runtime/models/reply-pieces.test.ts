import { PassThrough, Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { replyPieces } from "./reply-pieces.ts";

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** All that is read, and how it ended. */
async function readAll(pieces: AsyncIterable<Uint8Array>, waits: readonly boolean[]): Promise<unknown> {
  const read: Uint8Array[] = [];
  let end = "end";
  try {
    for await (const piece of pieces) {
      read.push(piece);
      if (waits[read.length % waits.length]) await turn();
    }
  } catch (error) {
    end = error instanceof Error ? error.message : String(error);
  }
  return { text: Buffer.concat(read).toString("latin1"), end };
}

async function write(stream: PassThrough, pieces: readonly string[], waits: readonly boolean[], fails: boolean) {
  for (const [at, piece] of pieces.entries()) {
    stream.write(piece);
    if (waits[at % waits.length]) await turn();
  }
  await turn();
  if (fails) stream.destroy(new Error("broken"));
  else stream.end();
}

test("reads what Node's own iterator reads, however pieces arrive and a stream ends", async () => {
  const waits = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ minLength: 1 })),
      waits,
      waits,
      fc.boolean(),
      async (pieces, writing, reading, fails) => {
        const [own, nodes] = [new PassThrough(), new PassThrough()];
        const [got, wanted] = await Promise.all([
          readAll(replyPieces(own), reading),
          readAll(nodes, reading),
          write(own, pieces, writing, fails),
          write(nodes, pieces, writing, fails),
        ]);
        // What is told late of a broken stream is the same failure; before it, ours gives all that had arrived.
        if (fails) expect(got).toMatchObject({ end: (wanted as { end: string }).end });
        else expect(got).toEqual(wanted);
      },
    ),
    { numRuns: 60 },
  );
});

test("makes the sender wait while nobody reads", async () => {
  let sent = 0;
  const endless = new Readable({
    read() {
      sent += 16_384;
      this.push(Buffer.alloc(16_384));
    },
  });
  const reading = replyPieces(endless)[Symbol.asyncIterator]();
  await reading.next();
  for (let count = 0; count < 20; count += 1) await turn();
  const before = sent;
  expect(before).toBeLessThan(300_000);
  // It goes on with who reads.
  for (let count = 0; count < 40; count += 1) await reading.next();
  expect(sent).toBeGreaterThan(before);
  await reading.return?.();
  expect(endless.destroyed).toBe(true);
});

test("a stream that is closed before its end has broken off", async () => {
  const stream = new PassThrough();
  stream.write("a");
  const reading = readAll(replyPieces(stream), [false]);
  await turn();
  stream.destroy();
  expect(await reading).toEqual({ text: "a", end: "the reply was cut off" });
});
