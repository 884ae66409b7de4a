import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { McpSource } from "../../src/sources/mcp/mcp-source.ts";
import { createBackground, SLICE } from "../../src/system/time/background.ts";
import { REST } from "../../src/system/time/refresh-pace.ts";
import { createFakeClock, type FakeClock } from "../support/fake-clock.ts";
import { call, openSource, reaches } from "../support/mcp-sources.ts";

const SERVER = fileURLToPath(new URL("../fixtures/restless-server.cjs", import.meta.url));
const restless = (...orders: readonly string[]) => ({ command: process.execPath, args: [SERVER, ...orders] });

/** Work costs what it takes in steps: every look at the clock is a millisecond later than the one before. */
function countedWork() {
  let looks = 0;
  let turns = 0;
  const later = (turn: () => void) => {
    turns += 1;
    setImmediate(turn);
  };
  const background = createBackground({ now: () => ++looks, later });
  return {
    background,
    get turns() {
      return turns;
    },
  };
}

/** Has the server change its list, and resolves once that is known, on a clock that stands still. */
async function changeOnce(source: McpSource, clock: FakeClock): Promise<void> {
  let changed = false;
  const stop = source.changes(() => {
    changed = true;
  });
  await call(source, "change");
  while (!changed) {
    clock.advance(0);
    await new Promise((resolve) => setImmediate(resolve));
  }
  stop();
}

test("a list that changes all the time is worked on for a fifth of the time, and calls go on meanwhile (C5)", async () => {
  const clock = createFakeClock();
  const work = countedWork();
  const source = openSource(restless("tools=40", "bytes=500", "every=1"), { clock, background: work.background });
  await reaches(source, "connected");
  const begin = clock.now();
  const before = work.background.spent;
  const lists = async () => Number((await call(source, "lists")).textResultForLlm);
  let most = 0;
  let last = before;
  let seen = await lists();
  let calls = 0;
  // Each call is a round trip to the server, which never stops saying that its list changed.
  for (let refreshes = 0; refreshes < 5; calls++) {
    clock.advance(20);
    const now = await lists();
    if (now === seen) continue;
    seen = now;
    refreshes += 1;
    most = Math.max(most, work.background.spent - last);
    last = work.background.spent;
  }
  const passed = clock.now() - begin;
  expect(most).toBeGreaterThan(100);
  expect((work.background.spent - before - most) * REST).toBeLessThanOrEqual(passed);
  expect(calls).toBeGreaterThan(10);
});

test("a change after a quiet while is seen at once, whatever the list cost", async () => {
  const clock = createFakeClock();
  const { background } = countedWork();
  const source = openSource(restless("tools=200", "bytes=500", "every=0"), { clock, background });
  await reaches(source, "connected");
  const before = await source.list(new AbortController().signal);
  for (let change = 0; change < 3; change++) {
    await changeOnce(source, clock);
    // Its cost is known only now; then it is quiet.
    await background.followed();
    clock.advance(60_000);
  }
  const [after] = await source.list(new AbortController().signal);
  expect(after?.description).not.toBe(before[0]?.description);
});

test("a large list is read in slices, between which others have their turn", async () => {
  const work = countedWork();
  const source = openSource(restless("tools=300", "bytes=2000", "every=0"), { background: work.background });
  await reaches(source, "connected");
  expect(await source.list(new AbortController().signal)).toHaveLength(302);
  expect(work.turns).toBeGreaterThan(work.background.spent / (3 * SLICE));
  expect(work.turns).toBeGreaterThan(30);
});

test("definitions that did not change are not worked on again", async () => {
  const clock = createFakeClock();
  const work = countedWork();
  // Ordinary definitions are judged in one step each, so that steps would say little about the work.
  const orders = ["tools=300", "bytes=2000", "every=0", "changing=1", "shape=odd"];
  const source = openSource(restless(...orders), { clock, background: work.background });
  await reaches(source, "connected");
  const first = work.background.spent;
  const before = await source.list(new AbortController().signal);
  await changeOnce(source, clock);
  const after = await source.list(new AbortController().signal);
  expect(after.filter((tool, at) => tool !== before[at])).toHaveLength(1);
  expect(work.background.spent - first).toBeLessThan(first);
});
