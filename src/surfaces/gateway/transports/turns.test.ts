import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { afterwards } from "../../../system/time/afterwards.ts";
import { createTurns } from "./turns.ts";

/** A machine on which everything that begins takes a millisecond, and nothing passes by itself. */
function createMachine() {
  let time = 10_000;
  const soon: (() => void)[] = [];
  const later: (() => void)[] = [];
  const begun: string[] = [];
  const turns = createTurns({
    now: () => time,
    soon: (work) => soon.push(work),
    later: (work) => later.push(work),
    over: () => {},
    shared: () => {},
  });
  const begin = (name: string): void => {
    begun.push(name);
    time += 1;
  };
  return {
    begun,
    turns,
    pass(milliseconds: number) {
      time += milliseconds;
    },
    /** Asks as one that has sent a request. */
    ask(owner: string, name: string, client = owner) {
      const turn = turns.wait(owner, client);
      if (turn === null) begin(name);
      else void turn.then(() => begin(name));
    },
    /** The next round of the event loop. */
    async goOn() {
      for (const work of later.splice(0)) {
        work();
        await settle();
        for (let next = soon.shift(); next !== undefined; next = soon.shift()) {
          next();
          await settle();
        }
      }
      return later.length > 0;
    },
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("turns", () => {
  it("lets all begin at once as long as nobody else is there", () => {
    const { turns } = createMachine();
    for (let at = 0; at < 1_000; at++) expect(turns.wait("one", `client ${at % 3}`)).toBe(null);
  });

  it("lets one that asks for little begin before what a greedy one asked for earlier", async () => {
    const machine = createMachine();
    machine.ask("modest", "first");
    for (let at = 0; at < 100; at++) machine.ask("greedy", `greedy ${at}`);
    machine.ask("modest", "second");
    while (await machine.goOn());
    expect(machine.begun).toHaveLength(102);
    expect(machine.begun.indexOf("second")).toBeLessThanOrEqual(3);
    expect(machine.begun.filter((name) => name.startsWith("greedy"))).toEqual(
      Array.from({ length: 100 }, (_, at) => `greedy ${at}`),
    );
  });

  it("takes in what arrives between two that begin", async () => {
    const machine = createMachine();
    machine.ask("modest", "first");
    for (let at = 0; at < 100; at++) machine.ask("greedy", `greedy ${at}`);
    await machine.goOn();
    const before = machine.begun.length;
    machine.ask("modest", "second");
    while (await machine.goOn());
    expect(machine.begun.indexOf("second")).toBeLessThanOrEqual(before + 2);
  });

  it("gives turns to the clients of one owner too, and to an owner no more for having many", async () => {
    const machine = createMachine();
    machine.ask("x", "x");
    for (let at = 0; at < 20; at++) machine.ask("many", `many ${at}`, "greedy");
    for (let client = 0; client < 10; client++) machine.ask("many", `other ${client}`, `client ${client}`);
    for (let at = 0; at < 10; at++) machine.ask("single", `single ${at}`);
    while (await machine.goOn());
    const { begun } = machine;
    expect(begun.indexOf("single 9")).toBeLessThanOrEqual(24);
    expect(begun.indexOf("other 0")).toBeLessThan(begun.indexOf("many 5"));
  });

  it("lets one that had little of late begin all it asks for before greedy ones that had much", async () => {
    const machine = createMachine();
    machine.ask("modest", "first");
    for (let at = 0; at < 40; at++) for (const greedy of ["a", "b", "c"]) machine.ask(greedy, `${greedy} ${at}`);
    for (let turn = 0; turn < 20; turn++) await machine.goOn();
    const before = machine.begun.length;
    for (let at = 0; at < 5; at++) machine.ask("modest", `modest ${at}`, `client ${at}`);
    while (await machine.goOn());
    expect(machine.begun.slice(before, before + 5)).toEqual([0, 1, 2, 3, 4].map((at) => `modest ${at}`));
  });

  it("leaves nobody waiting for ever behind others that had less", async () => {
    const machine = createMachine();
    machine.ask("other", "first");
    for (let at = 0; at < 1_000; at++) machine.ask("greedy", `greedy ${at}`);
    for (let turn = 0; turn < 100; turn++) await machine.goOn();
    const had = machine.begun.length;
    for (let at = 0; at < 2 * had; at++) {
      machine.ask("other", `other ${at}`);
      await machine.goOn();
    }
    expect(machine.begun.filter((name) => name.startsWith("greedy")).length).toBeGreaterThan(had + had / 4);
  });

  it("counts what was had long ago for nothing", async () => {
    const machine = createMachine();
    machine.ask("other", "first");
    for (let at = 0; at < 50; at++) machine.ask("greedy", `greedy ${at}`);
    while (await machine.goOn());
    machine.pass(30_000);
    machine.ask("other", "again");
    machine.ask("third", "third");
    machine.ask("other", "another");
    machine.ask("greedy", "greedy now");
    while (await machine.goOn());
    expect(machine.begun.indexOf("greedy now")).toBeLessThan(machine.begun.indexOf("another"));
  });

  it("reckons what follows from a request to its slice: others are read between two that take long", async () => {
    const turns = createTurns();
    let round = 0;
    let isOver = false;
    const count = (): void => {
      round += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const rounds: number[] = [];
    const ask = async (owner: string): Promise<void> => {
      await turns.wait(owner, owner);
      await Promise.resolve();
      const until = performance.now() + 2;
      while (performance.now() < until);
      rounds.push(round);
    };
    await ask("modest");
    const all: Promise<void>[] = [];
    for (let at = 0; at < 10; at++) {
      all.push(ask("greedy"));
      await new Promise<void>((resolve) => afterwards(resolve));
    }
    await Promise.all(all);
    isOver = true;
    expect(rounds).toHaveLength(11);
    // The first one of all is alone.
    expect(new Set(rounds.slice(1)).size).toBe(10);
  });

  it("forgets others that have been away for a while", async () => {
    const machine = createMachine();
    machine.ask("one", "one");
    machine.ask("other", "other");
    await machine.goOn();
    machine.pass(2_000);
    for (let at = 0; at < 50; at++) machine.ask("other", `other ${at}`);
    expect(machine.begun).toHaveLength(52);
  });

  it("lets everything begin once, each client's in order, and nobody wait for more than a round of owners", async () => {
    const asked = fc.array(fc.record({ owner: fc.nat(4), client: fc.nat(2), waits: fc.boolean() }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(asked, async (all) => {
        const machine = createMachine();
        for (const [at, { owner, client, waits }] of all.entries()) {
          machine.ask(`${owner}`, `${owner} ${client} ${at}`, `${owner} ${client}`);
          if (waits) await machine.goOn();
        }
        while (await machine.goOn());
        const { begun } = machine;
        expect([...begun].sort()).toEqual(all.map(({ owner, client }, at) => `${owner} ${client} ${at}`).sort());
        for (const { owner, client } of all) {
          const own = begun.filter((name) => name.startsWith(`${owner} ${client} `)).map(placeOf);
          expect(own).toEqual([...own].sort((a, b) => a - b));
        }
      }),
      { numRuns: 50 },
    );
  });
});

const placeOf = (name: string): number => Number(name.split(" ")[2]);
