import assert from "node:assert/strict";
import type { LeaseTimes } from "../lease.ts";
import type { Journal, Store } from "../store.ts";
import { hasCode, passTime } from "./journal-checks.ts";
import { eventsAfter, SESSION } from "./sample-events.ts";
import type { StoreWork } from "./store-work.ts";

const HOUR = 3_600_000;
/** A process that sends one heartbeat and then stalls. */
const STILL: LeaseTimes = { beat: HOUR, lost: HOUR, takeOver: HOUR };
/** One that does not wait long. */
const QUICK: LeaseTimes = { beat: 40, lost: 150, takeOver: 250 };
/** One with frequent heartbeats, which takes over from a process that was silent for ten of them. */
const STEADY: LeaseTimes = { beat: 50, lost: 500, takeOver: 500 };

export const holderChecks: Readonly<Record<string, StoreWork>> = {
  "lets nobody hold what a living process holds, itself included, until it is given back": async (open) => {
    const [one, two] = [await open(), await open()];
    const journal = await one.create(SESSION);
    await assert.rejects(two.hold("one"), hasCode("store.held"));
    await assert.rejects(one.hold("one"), hasCode("store.held"));
    await assert.rejects(two.delete("one"), hasCode("store.held"));
    await journal.append(eventsAfter(journal.end, 2));
    await journal.release();
    await assert.rejects(journal.append(eventsAfter(journal.end, 1)), hasCode("session.closed"));
    const next = await two.hold("one");
    assert.ok(next.epoch > journal.epoch);
    assert.deepEqual(next.end, journal.end);
    assert.equal(next.mayStart(), true);
  },
  "lets a session be held at once where its process has closed the store": async (open) => {
    const one = await open();
    await one.create(SESSION);
    await one.close();
    assert.equal((await (await open()).hold("one")).epoch, 2);
  },
  "is not taken over while its process beats": async (open) => {
    const [one, two] = [await open(STEADY), await open(STEADY)];
    let [tries, journal, begun] = [0, await one.create(SESSION), performance.now()];
    while (performance.now() - begun < STEADY.takeOver * 3) {
      await passTime(STEADY.beat);
      if (!(await isLost(two, journal, one.machine))) continue;
      tries += 1;
      assert.ok(tries < 40, "it was never heard of for long enough, although it ran");
      [journal, begun] = [await one.create({ ...SESSION, id: `one-${tries}` }), performance.now()];
    }
    await journal.append(eventsAfter(journal.end, 1));
  },
  "fences a process that stood still: nothing that it still writes is stored": async (open) => {
    const [still, quick] = [await open(STILL), await open(QUICK)];
    const old = await still.create(SESSION);
    const first = eventsAfter(old.end, 1);
    await old.append(first);
    const next = await holdOnce(quick, "one");
    const second = eventsAfter(next.end, 1);
    const [late, stored] = await Promise.allSettled([old.append(eventsAfter(old.end, 1)), next.append(second)]);
    assert.ok(late.status === "rejected" && hasCode("store.fenced")(late.reason));
    assert.equal(stored.status, "fulfilled");
    assert.equal(old.fenced.aborted, true);
    assert.equal(old.mayStart(), false);
    await assert.rejects(old.append(eventsAfter(old.end, 1)), hasCode("store.fenced"));
    assert.deepEqual(await quick.read("one"), [...first, ...second]);
    await old.release();
    await assert.rejects(still.hold("one"), hasCode("store.held"));
  },
  "finds out by its next beat that it was taken over, also where it writes nothing": async (open) => {
    const [one, two] = [await open({ ...STILL, beat: 500, lost: 5_000 }), await open({ ...QUICK, takeOver: 100 })];
    const journal = await one.create(SESSION);
    await holdOnce(two, "one");
    while (!journal.fenced.aborted) await passTime(20);
    assert.equal(journal.mayStart(), false);
  },
  "starts nothing once it could not beat for long, though nobody took over": async (open) => {
    const able = await open({ beat: 3_600_000, lost: 3_600_000, takeOver: 3_600_000 });
    assert.equal((await able.create({ ...SESSION, id: "able" })).mayStart(), true);
    const store = await open({ beat: 3_600_000, lost: 60, takeOver: 3_600_000 });
    const journal = await store.create(SESSION);
    await passTime(80);
    await journal.append(eventsAfter(journal.end, 1));
    assert.equal(journal.mayStart(), false);
  },
  "lets one of many take over": async (open) => {
    const journal = await (await open()).create(SESSION);
    await journal.append(eventsAfter(journal.end, 3));
    await journal.release();
    const stores = await Promise.all([open(), open(), open(), open()]);
    const outcomes = await Promise.allSettled(stores.map((store) => store.hold("one")));
    const held = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
    assert.equal(held.length, 1);
    for (const outcome of outcomes)
      assert.ok(outcome.status === "fulfilled" || hasCode("store.held")(outcome.reason), String(outcome));
  },
  "lists the processes that use it": async (open) => {
    const [one, two] = [await open(), await open()];
    await one.create(SESSION);
    await two.create({ ...SESSION, id: "two" });
    const ids = async () => (await one.machines()).map(({ id }) => id).sort();
    assert.deepEqual(await ids(), [one.machine, two.machine].sort());
    await two.close();
    assert.deepEqual(await ids(), [one.machine]);
  },
};

/**
 * Tries to take a journal over from a live process. False if that is refused. True if the machine let the process run
 * too late for its heartbeats: such a try proves nothing.
 */
async function isLost(store: Store, { sessionId }: Journal, holder: string): Promise<boolean> {
  const asked = performance.now();
  const silent = (await store.silence(holder)) ?? Number.POSITIVE_INFINITY;
  try {
    await store.hold(sessionId);
  } catch (error) {
    assert.ok(hasCode("store.held")(error), String(error));
    return false;
  }
  assert.ok(silent + performance.now() - asked > STEADY.takeOver, "it was taken over although it had beaten lately");
  return true;
}

/** Takes a journal over as soon as its holder has been silent for long enough. */
async function holdOnce(store: Store, sessionId: string): Promise<Journal> {
  for (;;) {
    try {
      return await store.hold(sessionId);
    } catch (error) {
      if (!hasCode("store.held")(error)) throw error;
    }
    await passTime(20);
  }
}
