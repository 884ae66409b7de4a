import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createDelayLists } from "./delay-lists.ts";

const LONG = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function createTimers() {
  const heard: string[] = [];
  const timers = createDelayLists(() => performance.now());
  return { heard, ...timers, set: (name: string, delay: number) => timers.setTimeout(() => heard.push(name), delay) };
}

describe("timers that share one of the system's", () => {
  test("are over after their own delay, each once, in the order in which they were set", () => {
    const { heard, set } = createTimers();
    set("first", LONG);
    vi.advanceTimersByTime(20_000);
    set("second", LONG);
    set("short", 10);
    vi.advanceTimersByTime(10);
    expect(heard).toEqual(["short"]);
    vi.advanceTimersByTime(LONG - 20_010 - 1);
    expect(heard).toEqual(["short"]);
    vi.advanceTimersByTime(1);
    expect(heard).toEqual(["short", "first"]);
    vi.advanceTimersByTime(20_000);
    expect(heard).toEqual(["short", "first", "second"]);
    vi.advanceTimersByTime(10 * LONG);
    expect(heard).toHaveLength(3);
  });

  test.each([2 ** 32, Number.POSITIVE_INFINITY])("wait for %s ms without looking again and again", (delay) => {
    const heard: string[] = [];
    let looks = 0;
    const timers = createDelayLists(() => {
      looks += 1;
      return performance.now();
    });
    timers.setTimeout(() => heard.push("far"), delay);
    vi.advanceTimersByTime(1_000);
    expect(looks).toBe(1);
    vi.advanceTimersByTime(2 ** 32);
    expect(heard).toEqual(delay === 2 ** 32 ? ["far"] : []);
  });

  test("are never over once they are cleared, not even by one that is over in the same moment", () => {
    const { heard, set, setTimeout, clearTimeout } = createTimers();
    const cleared = set("cleared", LONG);
    const others: unknown[] = [];
    setTimeout(() => {
      for (const other of others) clearTimeout(other);
    }, LONG);
    others.push(set("same moment", LONG));
    set("kept", LONG);
    clearTimeout(cleared);
    clearTimeout(cleared);
    vi.advanceTimersByTime(2 * LONG);
    expect(heard).toEqual(["kept"]);
  });

  test("are as many of the system's as there are delays, and keep nobody awake when all are cleared", () => {
    const { set, clearTimeout } = createTimers();
    const all = Array.from({ length: 100 }, (_, at) => set("never", at % 2 === 0 ? LONG : LONG + 1_000));
    expect(vi.getTimerCount()).toBe(2);
    for (const one of all) clearTimeout(one);
    vi.advanceTimersByTime(2 * LONG);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("one that is set again from inside of another is over in its turn", () => {
    const { heard, set, setTimeout } = createTimers();
    setTimeout(() => set("again", LONG), LONG);
    vi.advanceTimersByTime(2 * LONG - 1);
    expect(heard).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(heard).toEqual(["again"]);
  });

  test("delays of any number are told apart", () => {
    const { heard, set } = createTimers();
    for (let at = 0; at < 100; at++) set(String(at), LONG + at);
    vi.advanceTimersByTime(LONG + 50);
    expect(heard).toEqual(Array.from({ length: 51 }, (_, at) => String(at)));
  });
});

test("only what is waited for keeps the program running", () => {
  vi.useRealTimers();
  const awake = (): number => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  const before = awake();
  const { set, clearTimeout } = createTimers();
  const [first, second] = [set("never", LONG), set("never", LONG)];
  expect(awake()).toBe(before + 1);
  clearTimeout(first);
  expect(awake()).toBe(before + 1);
  clearTimeout(second);
  expect(awake()).toBe(before);
  const third = set("never", LONG);
  expect(awake()).toBe(before + 1);
  clearTimeout(third);
  expect(awake()).toBe(before);
});
