import { afterAll, beforeAll, expect } from "vitest";

/** Takes what ends something that was opened. */
export type AtEnd = (end: () => void | Promise<void>) => void;

/** Something that all tests of a suite use; what it opened ends after them, the last first. */
export function share<T>(open: (atEnd: AtEnd) => Promise<T>): () => T {
  let opened: T | null = null;
  const ends: (() => void | Promise<void>)[] = [];
  beforeAll(async () => {
    opened = await open((end) => void ends.unshift(end));
  });
  afterAll(async () => {
    for (const end of ends.splice(0)) await end();
  });
  return () => opened ?? expect.fail("nothing is open");
}
