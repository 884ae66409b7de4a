import { expect, test, vi } from "vitest";
import { createIdleEnd } from "./idle-end.ts";

test("ends after a time without anybody, and leaves no timer once it is closed", () => {
  vi.useFakeTimers();
  let users = 1;
  let ended = 0;
  const idle = createIdleEnd(
    1_000,
    () => users > 0,
    () => {
      ended += 1;
    },
  );
  vi.advanceTimersByTime(5_000);
  expect(ended).toBe(0);
  users = 0;
  idle.look();
  vi.advanceTimersByTime(999);
  users = 1;
  idle.look();
  vi.advanceTimersByTime(5_000);
  expect(ended).toBe(0);
  users = 0;
  idle.look();
  vi.advanceTimersByTime(1_000);
  expect(ended).toBe(1);
  idle.close();
  idle.look();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
