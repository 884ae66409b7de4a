import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { shortly, untilHolds } from "../../test/support/poll.ts";
import { GIVES_IN_STEPS, giveMemoryBackInSteps } from "./give-memory-back.ts";

const SERVER = fileURLToPath(new URL("../../test/fixtures/busy-then-quiet.mjs", import.meta.url));
const BUILT = fileURLToPath(new URL("../../dist/system/give-memory-back.js", import.meta.url));

/** What a process says of compiled code that it drops because it has garbage collected what that code assumed. */
const DROPPED = /for deoptimization, reason: weak objects/g;

test("memory given back in steps is what nobody holds any more", async () => {
  const gone: string[] = [];
  // Who looked at a reference meanwhile would hold it.
  const registry = new FinalizationRegistry((name: string) => void gone.push(name));
  const held = [{}];
  registry.register([{}], "dropped");
  registry.register(held, "held");
  await shortly();
  giveMemoryBackInSteps();
  await untilHolds(() => gone.includes("dropped"));
  expect(gone).toEqual(["dropped"]);
  expect(held).toEqual([{}]);
  expect(Reflect.has(globalThis, "gc")).toBe(false);
});

test.runIf(GIVES_IN_STEPS && existsSync(BUILT))(
  "a server whose memory is given back in steps keeps the code that was compiled for its requests",
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ["--trace-deopt", "--trace-gc", SERVER]);
    const [, inSteps = "", atOnce = ""] = stdout.split(/^(?:in steps|at once)\n/m);
    expect(inSteps).toContain("Mark-Compact");
    expect(inSteps).not.toMatch(DROPPED);
    expect(atOnce.match(DROPPED)?.length).toBeGreaterThan(20);
  },
  180_000,
);
