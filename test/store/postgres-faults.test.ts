import { describe, expect, onTestFinished, test } from "vitest";
import type { StoredEvent } from "../../src/core/events/envelope.ts";
import { eventsAfter, SESSION } from "../../src/runtime/store/contract-suite/sample-events.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { openPostgres } from "../../src/runtime/store/postgres/open-postgres.ts";
import { startCuttingProxy } from "../support/cutting-proxy.ts";
import { needs } from "../support/machine.ts";
import { shortly } from "../support/poll.ts";
import { createDatabase } from "../support/postgres-database.ts";
import { startPostgres } from "../support/postgres-server.mjs";

const { signal: FOREVER } = new AbortController();

async function open(url: string) {
  const store = createStore(await openPostgres(url));
  onTestFinished(() => store.close());
  return store;
}

describe("PostgreSQL", needs("postgres"), () => {
  test("stopped and started: what needs it is refused, nothing stored is lost, and it goes on by itself (S11)", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.dispose());
    const url = await server.createDatabase("faults");
    const [store, other] = [await open(url), await open(url)];
    const journal = await store.create(SESSION);
    const first = eventsAfter(journal.end, 2);
    await journal.append(first, { asked: [{ id: "q", kind: "permission", asked: {} }] });
    const answer = store.answerTo("q", FOREVER);
    await server.stop();
    const second = eventsAfter(journal.end, 2);
    await expect(journal.append(second)).rejects.toMatchObject({ code: "store.unavailable" });
    for (let tries = 0; tries < 5; tries += 1)
      await expect(store.read("one")).rejects.toMatchObject({ code: "store.unavailable" });
    await server.start();
    await until(() => journal.append(second));
    expect(await store.read("one")).toEqual([...first, ...second]);
    await until(() => other.answer("q", "yes", "ada"));
    expect(await answer).toEqual({ answer: "yes", by: "ada" });
  });

  test("connections cut at any byte: what is given again is stored once (S11)", async () => {
    const url = new URL(await createDatabase());
    const proxy = await startCuttingProxy(Number(url.port));
    url.port = String(proxy.port);
    const store = await open(url.href);
    onTestFinished(() => proxy.close());
    const journal = await store.create(SESSION);
    const stored: StoredEvent[] = [];
    let failures = 0;
    for (let round = 0; round < 60; round += 1) {
      const events = eventsAfter({ seq: stored.length, last: stored.at(-1)?.id ?? null }, 1 + (round % 3));
      const questions = round % 2 === 0 ? { asked: [{ id: `q${round}`, kind: "plan", asked: {} } as const] } : {};
      proxy.cutAfter(round * 3);
      await until(
        () => journal.append(events, questions),
        () => {
          failures += 1;
        },
      );
      stored.push(...events);
    }
    proxy.cutAfter(Number.POSITIVE_INFINITY);
    expect(failures).toBeGreaterThan(10);
    expect(await until(() => store.read("one"))).toEqual(stored);
    expect((await store.questions()).length).toBe(30);
  });

  test("an answer reaches another machine also where nobody rings", async () => {
    const url = new URL(await createDatabase());
    const direct = await open(url.href);
    const proxy = await startCuttingProxy(Number(url.port));
    onTestFinished(() => proxy.close());
    url.port = String(proxy.port);
    const store = await open(url.href);
    const journal = await store.create(SESSION);
    await journal.append(eventsAfter(journal.end, 1), { asked: [{ id: "q", kind: "permission", asked: {} }] });
    const answer = store.answerTo("q", FOREVER);
    // On the same connections, so what was asked before has been sent.
    expect(await store.questions()).toHaveLength(1);
    proxy.cut();
    await direct.answer("q", "yes", "ada");
    expect(await answer).toEqual({ answer: "yes", by: "ada" });
  });

  test("is there for a process that stood still while it asked for a connection (S11)", async () => {
    const backEnd = await openPostgres(await createDatabase(), { connect: 2_000 });
    onTestFinished(() => backEnd.close());
    // More at once than there are connections: some are opened, some wait for others.
    const reading = Promise.all(Array.from({ length: 12 }, () => backEnd.sessions({})));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100);
    expect(await reading).toHaveLength(12);
  });

  test("that lets nobody in is named without the password", async () => {
    const url = new URL(await createDatabase());
    url.password = "wrong-secret";
    const error: unknown = await openPostgres(url.href).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "store.unavailable" });
    expect(String(error)).not.toContain("wrong-secret");
  });
});

/** Tries again as a session would, until the store is back. */
async function until<T>(work: () => Promise<T>, onFailure: () => void = () => {}): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      expect(error).toMatchObject({ code: "store.unavailable" });
      onFailure();
      await shortly();
    }
  }
}
