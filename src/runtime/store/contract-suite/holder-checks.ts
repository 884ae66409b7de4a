import assert from "node:assert/strict";
import type { LeaseTimes } from "../lease.ts";
import { hasCode, pause } from "./journal-checks.ts";
import { eventsAfter, SESSION } from "./sample-events.ts";
import type { StoreWork } from "./store-work.ts";

/** A process that beats once and then stands still. */
const STILL: LeaseTimes = { beat: 3_600_000, lost: 3_600_000, takeOver: 10_000 };
/** One that does not wait for long. */
const QUICK: LeaseTimes = { beat: 40, lost: 150, takeOver: 250 };

/** One that beats often enough on a machine that has much else to do. */
const STEADY: LeaseTimes = { beat: 100, lost: 2_000, takeOver: 2_000 };

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
    const journal = await one.create(SESSION);
    for (let at = 0; at < 8; at += 1) {
      await pause(STEADY.beat * 3);
      await assert.rejects(two.hold("one"), hasCode("store.held"));
    }
    await journal.append(eventsAfter(journal.end, 1));
  },
  "fences a process that stood still: nothing that it still writes is stored": async (open) => {
    const [still, quick] = [await open(STILL), await open(QUICK)];
    const old = await still.create(SESSION);
    const first = eventsAfter(old.end, 1);
    await old.append(first);
    await pause(QUICK.takeOver + 50);
    const next = await quick.hold("one");
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
    await pause(150);
    await two.hold("one");
    while (!journal.fenced.aborted) await pause(20);
    assert.equal(journal.mayStart(), false);
  },
  "starts nothing once it could not beat for long, though nobody took over": async (open) => {
    const able = await open({ beat: 3_600_000, lost: 3_600_000, takeOver: 3_600_000 });
    assert.equal((await able.create({ ...SESSION, id: "able" })).mayStart(), true);
    const store = await open({ beat: 3_600_000, lost: 60, takeOver: 3_600_000 });
    const journal = await store.create(SESSION);
    await pause(80);
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
