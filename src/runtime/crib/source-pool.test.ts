import { describe, expect, test } from "vitest";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import { CONNECTED, type Source } from "../../sources/source.ts";
import { createSourcePool } from "./source-pool.ts";

function world(grace = 1_000) {
  const clock = createFakeClock();
  const opened: string[] = [];
  const closed: string[] = [];
  const listeners = new Set<() => void>();
  const pool = createSourcePool({
    clock,
    grace,
    onError: (_, error) => {
      throw error;
    },
  });
  const wanted = (key: string) => ({
    key,
    open: async (): Promise<Source & { readonly extra: string }> => {
      opened.push(key);
      return {
        kind: "mcp",
        name: key,
        status: CONNECTED,
        get extra() {
          return `of ${key}`;
        },
        list: async () => [],
        run: async () => ({ textResultForLlm: key, resultType: "success" }),
        changes(listener) {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
        close: async () => void closed.push(key),
      };
    },
  });
  return { clock, opened, closed, listeners, pool, wanted };
}

/** Lets everything run that waits for nothing but its turn. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe("sources that several sessions use", () => {
  test("one key is opened once, however many want it at once", async () => {
    const { pool, wanted, opened } = world();
    const leases = await Promise.all([pool.lease(wanted("a")), pool.lease(wanted("a")), pool.lease(wanted("b"))]);
    expect(opened).toEqual(["a", "b"]);
    expect(pool.holders("a")).toBe(2);
    expect(leases[0]).not.toBe(leases[1]);
    expect(Reflect.get(leases[0], "extra")).toBe("of a");
  });

  test("closing a lease, twice too, ends nothing that another holds", async () => {
    const { pool, wanted, closed, clock } = world();
    const [one, two] = await Promise.all([pool.lease(wanted("a")), pool.lease(wanted("a"))]);
    await one.close();
    await one.close();
    clock.advance(10_000);
    await settle();
    expect(closed).toEqual([]);
    expect(pool.holders("a")).toBe(1);
    await two.close();
    clock.advance(1_000);
    await settle();
    expect(closed).toEqual(["a"]);
    expect(pool.sources).toEqual([]);
  });

  test("a client that comes back in time finds it running; afterwards it is opened again", async () => {
    const { pool, wanted, opened, closed, clock } = world();
    await (await pool.lease(wanted("a"))).close();
    clock.advance(999);
    await (await pool.lease(wanted("a"))).close();
    expect(opened).toEqual(["a"]);
    clock.advance(1_000);
    await settle();
    expect(closed).toEqual(["a"]);
    await pool.lease(wanted("a"));
    expect(opened).toEqual(["a", "a"]);
  });

  test("a thousand holders leave no listener, no timer and no source", async () => {
    const { pool, wanted, listeners, clock } = world();
    for (let turn = 0; turn < 1_000; turn += 1) {
      const lease = await pool.lease(wanted("a"));
      lease.changes(() => {});
      await lease.close();
    }
    expect(listeners.size).toBe(0);
    expect(clock.pending).toEqual([1_000]);
    clock.advance(1_000);
    await settle();
    expect(pool.sources).toEqual([]);
    expect(clock.pending).toEqual([]);
  });

  test("one that cannot be opened is tried again by the next", async () => {
    const { pool, wanted, opened } = world();
    await expect(pool.lease({ key: "a", open: () => Promise.reject(new Error("no")) })).rejects.toThrow("no");
    await pool.lease(wanted("a"));
    expect(opened).toEqual(["a"]);
    expect(pool.holders("a")).toBe(1);
  });

  test("closing the pool closes what is held and what only waits", async () => {
    const { pool, wanted, closed, clock } = world();
    await pool.lease(wanted("a"));
    await (await pool.lease(wanted("b"))).close();
    await pool.close();
    await pool.close();
    expect(closed).toEqual(["a", "b"]);
    expect(clock.pending).toEqual([]);
    await expect(pool.lease(wanted("a"))).rejects.toThrow("closed");
  });
});
