import fc from "fast-check";
import { expect, test } from "vitest";
import type { UsageLimit } from "../../core/limits/usage-limit.ts";
import { toBudget } from "../../core/limits/usage-limit.ts";
import { createStore } from "../store/create-store.ts";
import { createMemoryBackEnd } from "../store/memory-back-end.ts";
import { createMemoryTables } from "../store/memory-tables.ts";
import type { KeyValues, Store } from "../store/store.ts";
import { takeOneOfEach } from "./ledger.ts";
import { LEASE, type SharePlace, shareValues } from "./share-place.ts";
import { SlotShare } from "./slot-share.ts";
import { SpentShare, UNASKED_PART } from "./spent-share.ts";
import { stretchAt } from "./stretch.ts";

/** Noon of a day in the middle of a month. */
const START = Date.UTC(2026, 4, 15, 12);

function limitOf(fields: Partial<UsageLimit>): UsageLimit {
  return {
    ...{ origin: { kind: "default" }, measure: "calls", most: 10, period: "day", each: [], profile: null },
    ...{ groups: null, clients: null, servers: null, tools: null, isSoft: false },
    ...fields,
  };
}

/** What goes wrong with the next changes of a machine's rows. */
interface Trouble {
  /** `lost`: nothing was stored; `late`: it was stored, and the machine does not learn of it. */
  next: "none" | "lost" | "late";
}

function withTrouble(store: Store, trouble: Trouble): Store {
  const keyValues = (place: Parameters<Store["keyValues"]>[0]): KeyValues => {
    const values = store.keyValues(place);
    return {
      ...values,
      async change(key, change) {
        const { next } = trouble;
        trouble.next = "none";
        if (next === "lost") throw new Error("the store is away");
        await values.change(key, change);
        if (next === "late") throw new Error("the answer was lost");
      },
    };
  };
  return Object.create(store, { keyValues: { value: keyValues } }) as Store;
}

/** Machines with one store, and a clock that only the test moves. */
function createMachines(limit: UsageLimit) {
  const tables = createMemoryTables();
  const time = { now: START };
  const budget = toBudget(limit, []);
  let seq = 0;
  let processes = 0;
  const open = () => {
    processes += 1;
    const trouble: Trouble = { next: "none" };
    const store = withTrouble(createStore(createMemoryBackEnd(tables)), trouble);
    const place: SharePlace = {
      ...{ store, scope: "test", now: () => time.now, machines: () => 3, nextSeq: () => ++seq, onError: () => {} },
    };
    return { place, trouble };
  };
  return {
    ...{ time, budget, open },
    get processes() {
      return processes;
    },
    async row() {
      const { place } = open();
      processes -= 1;
      const period = limit.period;
      const key = period === null ? budget.id : `${budget.id}:${stretchAt(period, time.now).start}`;
      return shareValues(place, period, "").get(key);
    },
  };
}

/** Lets everything that was begun go on for a while. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}

const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      what: fc.constant("calls" as const),
      at: fc.nat(2),
      count: fc.integer({ min: 1, max: 40 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant("wait" as const),
      at: fc.nat(2),
      count: fc.integer({ min: 1, max: LEASE + 2_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("kill" as const), at: fc.nat(2), count: fc.constant(1) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constantFrom("lost" as const, "late" as const),
      at: fc.nat(2),
      count: fc.constant(1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant("release" as const), at: fc.nat(2), count: fc.constant(1) }) },
);
const steps = fc.array(fc.tuple(step, fc.nat(12)), { minLength: 5, maxLength: 60 });

test("never more calls than the limit and what every process may use unasked, whatever is killed, lost or late", async () => {
  let most = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(1, 3, 10, 60, 250), steps, async (amount, done) => {
      const machines = createMachines(limitOf({ most: amount }));
      const stretch = stretchAt("day", START);
      const start = () => {
        const { place, trouble } = machines.open();
        return { share: new SpentShare(machines.budget, stretch, place, true), trouble };
      };
      const all = [start(), start(), start()];
      let ran = 0;
      const running: Promise<unknown>[] = [];
      for (const [{ what, at, count }, patience] of done) {
        const machine = all[at];
        if (machine === undefined) continue;
        if (what === "wait") {
          machines.time.now += count;
          running.push(...all.map(({ share }) => share.tick(machines.time.now) ?? Promise.resolve()));
        } else if (what === "kill") all[at] = start();
        else if (what === "release") running.push(machine.share.release(machines.time.now));
        else if (what === "calls")
          for (let call = 0; call < count; call += 1) {
            const now = () => machines.time.now;
            // A call that was killed while it waited has not run.
            const take = (share: SpentShare): void => {
              if (all[at] !== machine) return;
              share.spend(1, now());
              ran += 1;
            };
            running.push(Promise.resolve(takeOneOfEach([machine.share], now, take)));
          }
        else machine.trouble.next = what;
        await turns(patience);
      }
      await Promise.all(running);
      most = Math.max(most, ran - amount);
      expect(ran).toBeLessThanOrEqual(amount + machines.processes * Math.floor(amount / UNASKED_PART));
    }),
    { numRuns: 600 },
  );
  // The overrun is real, or the law would say too much.
  expect(most).toBeGreaterThan(0);
});

test("one machine that nothing happens to runs exactly as many calls as the limit says", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 400 }), async (amount) => {
      const machines = createMachines(limitOf({ most: amount }));
      const { place } = machines.open();
      const share = new SpentShare(machines.budget, stretchAt("day", START), place, true);
      let ran = 0;
      const take = () => {
        share.spend(1, START);
        ran += 1;
      };
      for (let call = 0; call < amount + 20; call += 1) await takeOneOfEach([share], () => START, take);
      expect(ran - amount).toBeGreaterThanOrEqual(0);
      expect(ran - amount).toBeLessThanOrEqual(Math.floor(amount / UNASKED_PART));
      if (amount < UNASKED_PART) expect(ran).toBe(amount);
    }),
    { numRuns: 60 },
  );
});

test("never more calls at once than the limit, on any number of machines that reach the store", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(1, 2, 5, 24),
      fc.array(fc.tuple(fc.nat(2), fc.constantFrom("enter", "leave", "wait"), fc.nat(12)), {
        minLength: 5,
        maxLength: 80,
      }),
      async (most, done) => {
        const machines = createMachines(limitOf({ measure: "atOnce", period: null, most }));
        const shares = [0, 1, 2].map(() => new SlotShare(machines.budget, machines.open().place));
        const now = () => machines.time.now;
        const inside = new Map<SlotShare, number>(shares.map((share) => [share, 0]));
        const count = () => [...inside.values()].reduce((sum, each) => sum + each, 0);
        const running: Promise<unknown>[] = [];
        for (const [at, what, patience] of done) {
          const share = shares[at];
          if (share === undefined) continue;
          const own = inside.get(share) ?? 0;
          if (what === "enter") {
            const take = (): void => {
              share.enter(now());
              inside.set(share, (inside.get(share) ?? 0) + 1);
              expect(count()).toBeLessThanOrEqual(most);
            };
            running.push(Promise.resolve(takeOneOfEach([share], now, take)));
          } else if (what === "leave" && own > 0) {
            inside.set(share, own - 1);
            share.leave(now());
          } else if (what === "wait") {
            machines.time.now += 1_000;
            running.push(...shares.map((each) => each.tick(now()) ?? Promise.resolve()));
          }
          await turns(patience);
        }
        await Promise.all(running);
        // Nothing stays taken once everything has ended.
        for (const share of shares) {
          for (let each = inside.get(share) ?? 0; each > 0; each -= 1) share.leave(now());
          await share.release(now());
        }
        await turns(50);
        expect(await machines.row()).toBeUndefined();
      },
    ),
    { numRuns: 400 },
  );
});

test("slots of a machine that was killed come back when its lease has ended, and its calls stay counted", async () => {
  const slots = createMachines(limitOf({ measure: "atOnce", period: null, most: 1 }));
  const now = () => slots.time.now;
  const [killed, other] = [0, 1].map(() => new SlotShare(slots.budget, slots.open().place));
  if (killed === undefined || other === undefined) throw new Error("there are two");
  expect(await takeOneOfEach([killed], now, (share) => share.enter(now()))).toBeNull();
  expect(await takeOneOfEach([other], now, (share) => share.enter(now()))).toMatchObject({ lack: { kind: "running" } });
  slots.time.now += LEASE;
  expect(await takeOneOfEach([other], now, (share) => share.enter(now()))).toBeNull();

  const calls = createMachines(limitOf({ most: 40 }));
  const stretch = stretchAt("day", START);
  const share = new SpentShare(calls.budget, stretch, calls.open().place, true);
  for (let call = 0; call < 10; call += 1)
    await takeOneOfEach(
      [share],
      () => START,
      () => share.spend(1, START),
    );
  // It is gone with a part of its share unused: that part is lost, and nothing is spent twice.
  calls.time.now += LEASE;
  const next = new SpentShare(calls.budget, stretch, calls.open().place, true);
  let ran = 0;
  const later = () => calls.time.now;
  for (let call = 0; call < 50; call += 1)
    await takeOneOfEach([next], later, () => {
      next.spend(1, later());
      ran += 1;
    });
  expect(10 + ran).toBeLessThanOrEqual(40);
  expect(ran).toBeGreaterThan(20);
});

test("what another machine has set aside is said to come back soon, and does", async () => {
  const machines = createMachines(limitOf({ most: 100 }));
  const stretch = stretchAt("day", START);
  const now = () => machines.time.now;
  const [first, second] = [0, 1].map(() => new SpentShare(machines.budget, stretch, machines.open().place, false));
  if (first === undefined || second === undefined) throw new Error("there are two");
  expect(await takeOneOfEach([first], now, () => first.spend(1, now()))).toBeNull();
  let refused = null;
  let ran = 0;
  while (refused === null) {
    refused = await takeOneOfEach([second], now, () => second.spend(1, now()));
    ran += refused === null ? 1 : 0;
  }
  expect(refused).toMatchObject({ lack: { kind: "elsewhere", until: START + LEASE } });
  await first.release(now());
  machines.time.now += LEASE;
  for (refused = null; refused === null; ran += refused === null ? 1 : 0)
    refused = await takeOneOfEach([second], now, () => second.spend(1, now()));
  expect(refused).toMatchObject({ lack: { kind: "used", until: stretch.end } });
  expect(ran).toBe(99);
});
