import { expect, test } from "vitest";
import { createHalfRead } from "./half-read.ts";

test("where clients together send too much that is not whole, the one that holds most of it is cut off", () => {
  const half = createHalfRead(100);
  const cut: string[] = [];
  const [small, large] = [() => void cut.push("small"), () => void cut.push("large")];
  half.add(large, 60);
  half.add(small, 30);
  expect(cut).toEqual([]);
  half.add(small, 20);
  expect(cut).toEqual(["large"]);
  half.add(small, 40);
  half.clear(small);
  half.add(large, 100);
  expect(cut).toEqual(["large"]);
});
