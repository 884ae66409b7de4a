import { expect } from "vitest";
import { type CodeSession, knowing, openCodeSession } from "./code-session.ts";

/** What code tries, and what the model reads of it. */
export type Attempts = readonly (readonly [code: string, reads: RegExp])[];

/** Each comes to nothing more than its own run, and the session goes on. Code may compute for so many milliseconds, if given. */
export async function survive(attempts: Attempts, computing: number | null): Promise<void> {
  const isShort = computing !== null;
  const opened = await openCodeSession(isShort ? { limits: { computing } } : {});
  for (const [code, reads] of attempts) {
    const text = await opened.run(code);
    if (!(isShort && text.includes("computed for more than"))) expect(text, code).toMatch(reads);
    expect(text, code).not.toMatch(/root:|the secret|wiped$/);
  }
  expect(opened.ran.filter((one) => /^(?:secret|forbidden|wipe)/.test(one))).toEqual([]);
  expect(Reflect.get({}, "polluted") ?? Reflect.get({}, "kept")).toBeUndefined();
  await goesOn(opened);
}

async function goesOn({ run }: CodeSession): Promise<void> {
  // A machine that is busy may take longer than a limit that is made short for the attempts.
  const sum = () => run(knowing(["add"], "return await custom.add({ a: 20, b: 22 })"));
  await expect.poll(sum, { timeout: 30_000 }).toBe("42");
}
