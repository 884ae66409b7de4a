import { expect, test } from "vitest";
import { afterwards } from "./afterwards.ts";

test("comes after all that was awaited, however often, and before anything else arrives", async () => {
  const seen: string[] = [];
  const work = async (name: string): Promise<void> => {
    for (let left = 3; left > 0; left--) await Promise.resolve();
    seen.push(name);
  };
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      setImmediate(() => {
        seen.push("next turn");
        resolve();
      });
      void work("first");
      afterwards(() => {
        seen.push("then");
        void work("second");
        afterwards(() => seen.push("at last"));
      });
    });
  });
  expect(seen).toEqual(["first", "then", "second", "at last", "next turn"]);
});
