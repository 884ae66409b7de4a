import { expect, test } from "vitest";
import { createLoopTurns } from "./loop-turns.ts";

test("one piece of work is done in each turn of the event loop, in turn between those who want some", async () => {
  const turns = createLoopTurns();
  let turn = 0;
  let isDone = false;
  const count = (): void => {
    turn += 1;
    if (!isDone) setImmediate(count);
  };
  const done: [string, number][] = [];
  const work = async (who: string): Promise<void> => {
    await turns.take(who);
    done.push([who, turn]);
  };
  count();
  await Promise.all([...Array.from({ length: 5 }, () => work("many")), work("one")]);
  isDone = true;
  expect(done.map(([who]) => who)).toEqual(["many", "many", "one", "many", "many", "many"]);
  const [first, ...others] = done.map(([, at]) => at);
  expect(new Set(others).size).toBe(others.length);
  expect(others.every((at) => at >= (first ?? 0))).toBe(true);
});

test("a piece that is alone is done at once", async () => {
  const turns = createLoopTurns();
  let isLater = false;
  setImmediate(() => {
    isLater = true;
  });
  await turns.take("one");
  expect(isLater).toBe(false);
});
