import { expect, onTestFinished, test } from "vitest";
import { shareUntil } from "../time/slices.ts";
import { LINES } from "./line-framing.ts";
import { createMessageReader } from "./message-reader.ts";

const LIMITS = { messageBytes: 1_000, skippedBytes: 1_000 };

test("what follows from a message counts for its turn: others have theirs between answers that cost much", async () => {
  shareUntil(performance.now() + 60_000);
  onTestFinished(() => shareUntil(0));
  let round = 0;
  const rounds: number[] = [];
  const seen: unknown[] = [];
  const isIdle = new Promise<void>((resolve) => {
    const reader = createMessageReader({
      framing: LINES,
      limits: LIMITS,
      async onMessage(read) {
        seen.push(read.kind === "message" ? read.message : read.kind);
        await Promise.resolve();
        const until = performance.now() + 0.5;
        while (performance.now() < until);
        rounds.push(round);
      },
      onBroken: () => {},
      onBusy: () => {},
      onIdle: resolve,
    });
    reader.push(Buffer.from([1, 2, 3, 4, 5, 6].map((id) => `${id}\n`).join("")));
  });
  let isOver = false;
  const count = (): void => {
    round += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await isIdle;
  isOver = true;
  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
  expect(new Set(rounds).size).toBe(6);
});

test("a reader that is stopped between two messages hands out no more", async () => {
  const seen: unknown[] = [];
  const reader = createMessageReader({
    framing: LINES,
    limits: LIMITS,
    onMessage(read) {
      seen.push(read.kind === "message" ? read.message : read.kind);
      if (seen.length === 2) reader.stop();
    },
    onBroken: () => {},
    onBusy: () => {},
    onIdle: () => {},
  });
  reader.push(Buffer.from("1\n2\n3\n4\n"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen).toEqual([1, 2]);
});

/** What a reader makes of a large message and a small one after it. */
function readLarge(onBusy: () => void) {
  const seen: (number | string)[] = [];
  const reader = createMessageReader({
    framing: LINES,
    limits: { messageBytes: 4_000_000, skippedBytes: 1_000 },
    onMessage: (read) => void seen.push(read.kind === "message" ? JSON.stringify(read.message).length : read.kind),
    onBroken: () => {},
    onBusy,
    onIdle: () => void seen.push("idle"),
  });
  reader.push(Buffer.from('"'));
  reader.push(Buffer.from(`${"a".repeat(2_000_000)}"\n`));
  reader.push(Buffer.from("1\n"));
  return { seen, reader };
}

test("a large message is read in steps while others have their turns, and what comes after it waits", async () => {
  let isBusy = false;
  const { seen } = readLarge(() => {
    isBusy = true;
  });
  expect([isBusy, seen]).toEqual([true, ["idle"]]);
  await expect.poll(() => seen).toEqual(["idle", 2_000_002, 1, "idle"]);
});

test("a reader that is stopped inside a large message hands out nothing", async () => {
  const { seen, reader } = readLarge(() => {});
  await new Promise((resolve) => setImmediate(resolve));
  reader.stop();
  await expect.poll(() => seen).toEqual(["idle", "idle"]);
});
