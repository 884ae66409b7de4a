import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createInboundGuard } from "./inbound-guard.ts";

const LIMITS = { badLines: 100, badLineWindow: 10_000, floodBurst: 10_000, floodRate: 1_000 };

const answer = (id: unknown) => ({ jsonrpc: "2.0", id, result: {} });
const notify = (method: string, params: object = {}) => ({ jsonrpc: "2.0", method, params });

describe("answers", () => {
  test("pass once, to exactly the open request", () => {
    const guard = createInboundGuard(LIMITS);
    guard.opened(7);
    for (const id of ["7", 7.5, 8]) expect(guard.judge(answer(id), 0)).toEqual({ kind: "drop" });
    for (const id of [null, [7], undefined]) expect(guard.judge(answer(id), 0)).toEqual({ kind: "drop", isJunk: true });
    expect(guard.judge(answer(7), 0)).toEqual({ kind: "answer", id: 7, wellFormed: true });
    expect(guard.judge(answer(7), 0)).toEqual({ kind: "drop" });
    expect(guard.counts).toMatchObject({ stray: 4, junk: 3 });
  });

  test("never pass more often than requests were opened, whatever comes", () => {
    const id = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom("0", "1", "x"));
    const step = fc.oneof(
      fc.record({ open: id }),
      fc.record({ give: id }),
      fc.record({ say: fc.oneof(id.map(answer), fc.jsonValue()) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const guard = createInboundGuard({ ...LIMITS, badLines: 1_000 });
        const open = new Set<unknown>();
        for (const each of steps) {
          if ("open" in each) {
            guard.opened(each.open);
            open.add(each.open);
          } else if ("give" in each) {
            guard.abandoned(each.give);
            open.delete(each.give);
          } else {
            const said: unknown = each.say;
            const { kind } = guard.judge(said, 0);
            const heard = typeof said === "object" && said !== null && "id" in said ? said.id : undefined;
            if (kind === "answer") expect(open.delete(heard)).toBe(true);
          }
        }
      }),
    );
  });

  test("of a request that was given up are late, not faulty", () => {
    const guard = createInboundGuard({ ...LIMITS, badLines: 1 });
    guard.opened(1);
    guard.abandoned(1);
    expect(guard.judge(answer(1), 0)).toEqual({ kind: "drop" });
    expect(guard.counts).toMatchObject({ late: 1, stray: 0 });
    expect(guard.judge(answer(1), 0)).toMatchObject({ kind: "cut" });
  });

  test.each([
    { result: 5 },
    {},
    { result: {}, error: { code: 1, message: "m" } },
    { error: { code: "x", message: "m" } },
  ])("%j is malformed and fails its own request", (rest) => {
    const guard = createInboundGuard(LIMITS);
    guard.opened(3);
    expect(guard.judge({ jsonrpc: "2.0", id: 3, ...rest }, 0)).toEqual({ kind: "answer", id: 3, wellFormed: false });
  });
});

describe("what nobody asked for", () => {
  test("goes further as what it is", () => {
    const guard = createInboundGuard(LIMITS);
    for (const method of ["notifications/message", "notifications/tools/list_changed"]) {
      expect(guard.judge(notify(method, { a: 1 }), 0)).toEqual({ kind: "notification", method, params: { a: 1 } });
    }
    expect(guard.judge({ ...notify("roots/list"), id: 9 }, 0)).toEqual({
      kind: "request",
      id: 9,
      method: "roots/list",
      params: {},
    });
  });

  test("a burst is borne, a flood is cut, a steady stream is not", () => {
    const limits = { ...LIMITS, floodBurst: 100, floodRate: 10 };
    const noise = notify("notifications/message");
    const flooded = createInboundGuard(limits);
    for (let at = 0; at < 100; at++) expect(flooded.judge(noise, 0)).toMatchObject({ kind: "notification" });
    expect(flooded.judge(noise, 0)).toMatchObject({ kind: "cut" });
    const steady = createInboundGuard(limits);
    for (let at = 0; at < 1_000; at++) expect(steady.judge(noise, at * 100)).toMatchObject({ kind: "notification" });
  });
});
