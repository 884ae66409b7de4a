import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import type { StoredSchedule } from "../../sources/schedule.ts";
import { createStore } from "../store/create-store.ts";
import { createMemoryBackEnd } from "../store/memory-back-end.ts";
import { createMemoryTables } from "../store/memory-tables.ts";
import { createScheduleBook } from "./schedule-book.ts";
import { createScheduleRunner } from "./schedule-runner.ts";

const HOUR = 3_600_000;
const HOURLY = { cron: null, every: HOUR, prompt: "Look", agent: null, mode: null, model: null };

/** Machines with one store and one time between them. */
function world() {
  const tables = createMemoryTables();
  let now = 1_000_000;
  let ids = 0;
  const machine = () => {
    const store = createStore(createMemoryBackEnd(tables));
    onTestFinished(() => store.close());
    store.join();
    ids += 1;
    const name = ids;
    const ofName = Array.from({ length: 9 }, (_, at) => `${name}-${at}-abcdefgh`);
    const newId = () => ofName.pop() ?? "";
    return { store, book: createScheduleBook(store, { project: "/work", today: () => now, newId }) };
  };
  return {
    machine,
    /** As others see it: it beats no more. */
    kill: ({ store }: ReturnType<typeof machine>) => {
      const found = tables.machines.get(store.machine);
      if (found !== undefined) tables.machines.set(store.machine, { ...found, seen: Date.now() - 60_000 });
    },
    today: () => now,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

test("of several machines one takes a run that is due, and what was missed is made up for once (B7)", async () => {
  const { machine, pass } = world();
  const first = machine();
  const machines = [first, machine(), machine()];
  const { id } = await first.book.add(HOURLY);
  const claims = async () =>
    (await Promise.all(machines.map(({ book }) => book.claim(id)))).filter((one) => one !== null);
  expect(await claims()).toEqual([]);
  pass(HOUR);
  expect(await claims()).toHaveLength(1);
  expect(await claims()).toEqual([]);
  pass(10 * HOUR);
  expect(await claims()).toHaveLength(1);
  expect(await claims()).toEqual([]);
});

test("what is due while its last run goes on is skipped, and runs again once that is over (B7)", async () => {
  const { machine, pass } = world();
  const [one, other] = [machine(), machine()];
  const { id } = await one.book.add(HOURLY);
  pass(HOUR);
  const first = await one.book.claim(id);
  const journal = await one.store.create({ id: first?.sessionId ?? "", person: "", project: "/work" });
  pass(HOUR);
  expect(await other.book.claim(id)).toBe(null);
  expect(await other.book.list()).toMatchObject([{ skipped: 1, last: { sessionId: first?.sessionId, end: null } }]);
  await journal.release();
  await one.book.ended(id, first?.sessionId ?? "", "end");
  expect(await other.book.claim(id)).toBe(null);
  pass(HOUR);
  expect(await other.book.claim(id)).toMatchObject({ schedule: { last: { end: null } } });
});

test("a run whose machine is killed is said to be interrupted, and neither one that goes on nor one that begins is (B7)", async () => {
  const { machine, pass, kill } = world();
  const [one, other] = [machine(), machine()];
  const { id } = await one.book.add(HOURLY);
  pass(HOUR);
  const ends = async () => (await other.book.list()).map(({ last }) => last?.end);
  const first = await one.book.claim(id);
  expect(await ends()).toEqual([null]);
  await one.store.create({ id: first?.sessionId ?? "", person: "", project: "/work" });
  expect(await ends()).toEqual([null]);
  kill(one);
  expect(await ends()).toEqual(["interrupted"]);
  // One that was killed before it had a session.
  pass(HOUR);
  await other.book.claim(id);
  expect(await ends()).toEqual([null]);
  pass(2 * 60_000);
  expect(await ends()).toEqual(["interrupted"]);
});

test("a runner runs what is due, says how it ended, and stops what runs when it is closed (B7)", async () => {
  const { machine, pass, today } = world();
  const { book } = machine();
  const clock = createFakeClock();
  const { id } = await book.add(HOURLY);
  const ran: StoredSchedule[] = [];
  const told: string[] = [];
  let heard: () => void = () => {};
  const next = () => new Promise<void>((resolve) => (heard = resolve));
  const runner = createScheduleRunner({
    ...{ book, clock, today },
    run: async (schedule, _sessionId, signal) => {
      ran.push(schedule);
      if (ran.length === 1) throw new Error("no model");
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve("aborted"), { once: true }));
    },
    onEvent: (text) => {
      told.push(text.replace(/session \S+/, "session"));
      heard();
    },
  });
  const due = async (times: number) => {
    while (told.length < times) {
      clock.advance(15_000);
      await Promise.race([next(), new Promise((resolve) => setImmediate(resolve))]);
    }
  };
  pass(HOUR);
  await due(2);
  pass(HOUR);
  await due(3);
  await runner.close();
  expect(ran).toHaveLength(2);
  const begun = `schedule ${id} runs as session`;
  expect(told).toEqual([begun, `schedule ${id}: no model`, begun, `schedule ${id}: aborted`]);
  expect(await book.list()).toMatchObject([{ last: { end: "aborted" } }]);
});

test.each([
  [{ ...HOURLY, every: 1_000 }, "at least one minute"],
  [{ ...HOURLY, cron: "* * * * *" }, "either a cron line or an interval"],
  [{ ...HOURLY, every: null, cron: "soon" }, "is not a cron line"],
  [{ ...HOURLY, every: null, cron: "0 0 31 2 *" }, "never be due"],
  [{ ...HOURLY, prompt: " " }, "needs a prompt"],
])("%j is refused", async (schedule, why) => {
  await expect(world().machine().book.add(schedule)).rejects.toThrow(why);
});
