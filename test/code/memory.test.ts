import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../support/built-cli.ts";
import { openCodeSession } from "../support/code-session.ts";

const PROGRAM = fileURLToPath(new URL("../support/code-memory.mjs", import.meta.url));
const MEGABYTE = 2 ** 20;
/** What a run may have, and what Node needs around it: its thread, and strings on their way out of it. */
const MOST = 96 * MEGABYTE;
const AROUND = 48 * MEGABYTE;

const NEEDED = "The code needed more than its 96 MB of memory and was stopped. Keep less at once";

interface Measured {
  readonly said: readonly string[];
  readonly peak: number;
  readonly left: number;
}

/** Runs rounds of code in a process of its own. */
async function measure(...rounds: readonly (readonly string[])[]): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, JSON.stringify(rounds)]);
  return JSON.parse(stdout);
}

const fill = (one: string) => `const all = []; for (let i = 0; ; i++) all.push(${one})`;
const BYTES = fill("new Uint8Array(5e6).fill(1)");

beforeAll(ensureBuilt);

describe("the memory of code (K2)", { timeout: 300_000 }, () => {
  test("is limited for whatever it is filled with", async () => {
    const fillings = [
      BYTES,
      fill("new Uint8Array(1e5).fill(1)"),
      fill("new ArrayBuffer(9e7)"),
      fill("new Array(1e4).fill(i)"),
      fill("{ a: i, b: { c: i } }"),
      fill("('x' + i).repeat(1e5)"),
      fill("('\u017e' + i).repeat(1e5)"),
      "for (;;) try { throw new Error('x'.repeat(1e6)) } catch (error) { (globalThis.all ??= []).push(error) }",
    ];
    const { said, peak } = await measure(...fillings.map((code) => [code]));
    expect(said).toEqual(fillings.map(() => expect.stringContaining(NEEDED)));
    expect(peak).toBeLessThan(MOST + AROUND);
  });

  test("is not left through what it sends, returns and logs", async () => {
    const { said, peak } = await measure(
      ["return await tools.call('x', { text: 'x'.repeat(2e7) })"],
      ["return '\u017e'.repeat(3e7)"],
      ["const text = 'x'.repeat(3e7); for (let i = 0; i < 5; i++) console.log(text)"],
    );
    expect(said).toEqual([
      expect.stringContaining("may send arguments of 16777216 characters"),
      expect.stringContaining("The result has"),
      expect.stringContaining("The result has"),
    ]);
    expect(peak).toBeLessThan(MOST + AROUND);
  });

  test("is limited for each of several at once, and for all together", async () => {
    const { said, peak } = await measure([BYTES, BYTES, BYTES]);
    expect(said).toEqual([NEEDED, NEEDED, NEEDED].map((text) => expect.stringContaining(text)));
    expect(peak).toBeLessThan(3 * (MOST + AROUND));
    const many = await measure(Array.from({ length: 12 }, () => BYTES));
    const shared = many.said.filter((text) => !text.startsWith(NEEDED));
    expect(shared.length).toBeGreaterThan(0);
    for (const text of shared)
      expect(text).toMatch(/^The code had \d+ MB of memory and was stopped .* in use by other code .* Run it again/);
    expect(many.peak).toBeLessThan(600 * MEGABYTE);
  });

  test("is given back when its run has ended", async () => {
    const { said, peak, left } = await measure([BYTES], [BYTES], [BYTES], [BYTES], ["return 1"]);
    expect(said.at(-1)).toBe("1");
    expect(peak).toBeLessThan(MOST + AROUND);
    expect(left).toBeLessThan(AROUND);
  });

  test("runs out with an error that code can catch and read", async () => {
    const { run } = await openCodeSession({ limits: { computing: 300_000 } });
    const code = `try { ${BYTES} } catch (error) { return [error.name, error.message] }`;
    expect(JSON.parse(await run(code))).toEqual([
      "InternalError",
      "out of memory: code may have 96 MB. Keep less at once: ask tools for less, and go through large things part by part.",
    ]);
  });
});
