import fc from "fast-check";
import { expect, test } from "vitest";
import { createBacklog } from "./backlog.ts";

const POOL = 25;
const CAP = 100;

test("messages of any sizes all come through, and never hold more than one and what the others share", async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: CAP }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 30 }), async (messages, piece) => {
      const backlog = createBacklog(POOL);
      let held = 0;
      let most = 0;
      const read = async (size: number) => {
        const share = backlog.join(null);
        let mine = 0;
        while (mine < size) {
          const next = Math.min(size, mine + piece);
          await share.hold(next);
          held += next - mine;
          mine = next;
          most = Math.max(most, held);
          await null;
        }
        held -= mine;
        share.leave();
      };
      await Promise.all(messages.map(read));
      expect(most).toBeLessThanOrEqual(CAP + POOL);
      expect(held).toBe(0);
    }),
  );
});

test("one that waits and is given up waits no longer", async () => {
  const backlog = createBacklog(POOL);
  expect(backlog.join(null).hold(CAP)).toBeNull();
  expect(backlog.join(null).hold(POOL)).toBeNull();
  const given = new AbortController();
  const waiting = backlog.join(given.signal).hold(1);
  expect(waiting).toBeInstanceOf(Promise);
  given.abort();
  await waiting;
});
