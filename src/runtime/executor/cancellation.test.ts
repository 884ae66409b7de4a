import { expect, test } from "vitest";
import { createCancellation } from "./cancellation.ts";

test("a listener that is removed while others are notified is not notified", () => {
  const cancellation = createCancellation();
  const heard: string[] = [];
  const stops: (() => void)[] = [];
  for (const name of ["first", "second", "third"]) {
    stops.push(
      cancellation.onCancel(() => {
        heard.push(name);
        if (name === "first") stops[2]?.();
      }),
    );
  }
  cancellation.cancel("user");
  expect(heard).toEqual(["first", "second"]);
});

test("a place that somebody left is taken by the next one, and each is told once", () => {
  const cancellation = createCancellation();
  const heard: string[] = [];
  const leave = cancellation.onCancel(() => heard.push("gone"));
  cancellation.onCancel(() => heard.push("one"));
  leave();
  cancellation.onCancel(() => heard.push("two"));
  leave();
  cancellation.cancel("timeout");
  cancellation.cancel("user");
  expect(heard.sort()).toEqual(["one", "two"]);
  expect(cancellation.by).toBe("timeout");
});
