import { expect } from "vitest";
import { type CodeSession, knowing, openCodeSession } from "./code-session.ts";

/** What code tries, and what the model reads of it. */
export type Attempts = readonly (readonly [code: string, reads: RegExp])[];

/** Milliseconds of computing for what ends by that limit alone, and for what must not: a busy machine is slow. */
const [SHORT, LONG] = [300, 300_000];

/** Each affects nothing but its own run, and the session goes on. */
export async function survive(attempts: Attempts): Promise<void> {
  const [hurried, patient] = await Promise.all(
    [SHORT, LONG].map((computing) => openCodeSession({ limits: { computing } })),
  );
  for (const [code, reads] of attempts) {
    const opened = reads.source.includes("computed") ? hurried : patient;
    const text = await opened?.run(code);
    expect(text, code).toMatch(reads);
    expect(text, code).not.toMatch(/root:|the secret|wiped$/);
  }
  for (const opened of [hurried, patient]) {
    expect(opened?.ran.filter((one) => /^(?:secret|forbidden|wipe)/.test(one))).toEqual([]);
    await goesOn(opened ?? expect.fail("no session is open"));
  }
  expect(Reflect.get({}, "polluted") ?? Reflect.get({}, "kept")).toBeUndefined();
}

async function goesOn({ run }: CodeSession): Promise<void> {
  // A machine that is busy may take longer than a limit that is made short for the attempts.
  const sum = () => run(knowing(["add"], "return await custom.add({ a: 20, b: 22 })"));
  await expect.poll(sum, { timeout: 30_000 }).toBe("42");
}
