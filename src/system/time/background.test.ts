import { expect, test } from "vitest";
import { createBackground, MOST_COUNTED, SLICE } from "./background.ts";

/** On a clock that a step moves on by as much as it says, and in turns that the test takes. */
function world() {
  const turns: (() => void)[] = [];
  const log: string[] = [];
  let at = 0;
  function* work(name: string, steps: number, milliseconds: number) {
    for (let step = 1; step <= steps; step++) {
      at += milliseconds;
      log.push(name);
      yield;
    }
    return name;
  }
  const background = createBackground({ now: () => at, later: (turn) => void turns.push(turn) });
  /** What is done in the next turn. */
  const turn = (): string => {
    log.length = 0;
    turns.shift()?.();
    return log.join("");
  };
  return { background, work, turn, turns, pass: (milliseconds: number) => (at += milliseconds) };
}

test("work stops for a turn after its slice, and others of its kind come first", async () => {
  const { background, work, turn } = world();
  const done = Promise.all([background.run(work("a", 7, 4)), background.run(work("b", 2, 4))]);
  expect([turn(), turn(), turn(), turn()]).toEqual(["aaa", "bba", "aaa", ""]);
  expect(await done).toEqual(["a", "b"]);
  expect(background.spent).toBe(9 * 4);
});

test("small pieces share a turn", () => {
  const { background, work, turn, turns } = world();
  for (const name of "abcd") void background.run(work(name, 1, 1));
  expect(turn()).toBe("abcd");
  expect(turns).toEqual([]);
});

test("what fails fails alone", async () => {
  const { background, work, turn } = world();
  function* failing(): Generator<void, void, void> {
    yield;
    throw new Error("broken");
  }
  const failed = expect(background.run(failing())).rejects.toThrow("broken");
  const done = background.run(work("a", 1, 1));
  turn();
  await failed;
  expect(await done).toBe("a");
  background.soon(() => {
    throw new Error("a bug");
  });
  const later = background.run(work("b", 1, 1));
  expect(turn).toThrow("a bug");
  turn();
  expect(await later).toBe("b");
});

test("what is done at once counts too, but no sleep of the machine does", () => {
  const { background, pass } = world();
  expect(background.now(() => pass(SLICE))).toBe(SLICE);
  background.now(() => pass(3_600_000));
  expect(background.spent).toBe(SLICE + MOST_COUNTED);
});

test("a change is followed once those who heard of it have done what follows from it", async () => {
  const background = createBackground();
  const log: string[] = [];
  const hear = async () => {
    await null;
    background.soon(() => log.push("one"));
    background.soon(() => log.push("other"));
  };
  void hear();
  await background.followed();
  expect(log).toEqual(["one", "other"]);
});
