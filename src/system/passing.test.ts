import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPassingMap, createPassingSet } from "./passing.ts";

const KEY = fc.integer({ min: 0, max: 40 });
const STEP = fc.tuple(fc.constantFrom("set", "set", "delete"), KEY);

describe("things that come and go", () => {
  test("are what a map and a set would hold, in the same order", () => {
    fc.assert(
      fc.property(fc.array(STEP, { maxLength: 300 }), (steps) => {
        const [map, set] = [createPassingMap<number, string>(), createPassingSet<number>()];
        const [plainMap, plainSet] = [new Map<number, string>(), new Set<number>()];
        for (const [at, [what, key]] of steps.entries()) {
          if (what === "set") {
            map.set(key, `${at}`);
            plainMap.set(key, `${at}`);
            set.add(key);
            plainSet.add(key);
          } else {
            expect(map.delete(key)).toBe(plainMap.delete(key));
            expect(set.delete(key)).toBe(plainSet.delete(key));
          }
          expect([map.get(key), map.has(key), map.size]).toEqual([plainMap.get(key), plainMap.has(key), plainMap.size]);
          expect(map.oldest()).toBe([...plainMap.keys()][0]);
        }
        expect([...map.keys()]).toEqual([...plainMap.keys()]);
        expect([...map.values()]).toEqual([...plainMap.values()]);
        expect([[...set], set.size]).toEqual([[...plainSet], plainSet.size]);
      }),
    );
  });

  test("can go while somebody goes through them", () => {
    const map = createPassingMap<number, number>();
    for (let at = 0; at < 100; at++) map.set(at, at);
    const seen: number[] = [];
    for (const key of map.keys()) {
      seen.push(key);
      map.delete(key);
    }
    expect([seen.length, map.size]).toEqual([100, 0]);
  });
});
