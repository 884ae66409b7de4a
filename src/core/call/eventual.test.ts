import { expect, test } from "vitest";
import { known, runStage, type Stage } from "./eventual.ts";

function* add(...all: readonly (number | Promise<number>)[]): Stage<number> {
  let sum = 0;
  for (const one of all) sum += yield* known(one);
  return sum;
}

test("work that waits for nothing is done at once", () => {
  expect(runStage(add(1, 2, 3))).toBe(6);
});

test("work that waits goes on when what it waits for is there", async () => {
  const result = runStage(add(1, Promise.resolve(2), Promise.resolve(3)));
  expect(result).toBeInstanceOf(Promise);
  expect(await result).toBe(6);
});

test("what fails while it is waited for fails there, where it can be caught", async () => {
  function* careful(): Stage<string> {
    try {
      return String(yield* add(1, Promise.reject(new Error("no"))));
    } catch (error) {
      return `caught ${error}`;
    }
  }
  expect(await runStage(careful())).toBe("caught Error: no");
  await expect(runStage(add(1, Promise.reject(new Error("no"))))).rejects.toThrow("no");
});
