import { expect, test } from "vitest";
import type { Origin } from "../../core/codes/origin.ts";
import type { PlaceHolder } from "../../sources/parts/connection-places.ts";
import { createPersonPlaces } from "./person-places.ts";

const at = (line: number): Origin => ({ kind: "file", file: "toolcrib.yaml", line });

function world(most: number, perPerson: number) {
  const places = createPersonPlaces(() => ({
    most: { value: most, origin: at(3) },
    perPerson: { value: perPerson, origin: at(4) },
    idle: { value: 1_000, origin: at(5) },
  }));
  const rested: string[] = [];
  let last = 0;
  const start = (person: string, name: string) => {
    const holder: PlaceHolder & { isIdle: boolean; usedAt: number; free: () => void } = {
      isIdle: true,
      usedAt: ++last,
      free: () => {},
      rest() {
        rested.push(name);
        holder.free();
      },
    };
    const taken = places.of(person).take(holder);
    if (typeof taken === "string") return taken;
    holder.free = taken;
    return holder;
  };
  const running = (person: string, name: string) => {
    const started = start(person, name);
    if (typeof started === "string") throw new Error(started);
    return started;
  };
  return { start, running, rested };
}

test("where all places are taken, the one that was used longest ago rests, of the person first", () => {
  const { running, rested } = world(4, 2);
  const first = running("a", "a1");
  running("b", "b1");
  running("a", "a2");
  first.usedAt = 100;
  running("a", "a3");
  expect(rested).toEqual(["a2"]);
  running("b", "b2");
  running("c", "c1");
  expect(rested).toEqual(["a2", "b1"]);
});

test("what is in use stays, and a start is refused with the setting and its line", () => {
  const { running, start, rested } = world(3, 2);
  const a1 = running("a", "a1");
  const a2 = running("a", "a2");
  const b1 = running("b", "b1");
  for (const each of [a1, a2, b1]) each.isIdle = false;
  expect(start("a", "a3")).toBe(
    "all 2 connections that one person may have are in use (gateway.upstreams.perPerson, toolcrib.yaml:4)",
  );
  expect(start("b", "b2")).toBe(
    "all 3 connections that persons may have here are in use (gateway.upstreams.most, toolcrib.yaml:3)",
  );
  expect(rested).toEqual([]);
  a1.free();
  expect(typeof start("b", "b2")).toBe("object");
});

test("fewer places than before end as many as are too many", () => {
  const limits = { most: 5 };
  const places = createPersonPlaces(() => ({
    most: { value: limits.most, origin: at(3) },
    perPerson: { value: 50, origin: at(4) },
    idle: { value: 1_000, origin: at(5) },
  }));
  const running = new Set<PlaceHolder>();
  const start = () => {
    let free = (): void => {};
    const holder: PlaceHolder = {
      isIdle: true,
      usedAt: running.size,
      rest() {
        running.delete(holder);
        free();
      },
    };
    const taken = places.of("a").take(holder);
    if (typeof taken === "string") throw new Error(taken);
    free = taken;
    running.add(holder);
  };
  for (let at = 0; at < 5; at += 1) start();
  limits.most = 2;
  start();
  expect(running.size).toBe(2);
});
