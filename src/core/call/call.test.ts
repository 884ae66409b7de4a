import { expect, test } from "vitest";
import { toInvocation } from "./call.ts";

test("a handler learns which call it answers (contract 6)", () => {
  const { signal } = new AbortController();
  expect(toInvocation({ id: "c1", toolName: "view", arguments: { path: "a.ts" } }, "s1", signal)).toEqual({
    sessionId: "s1",
    toolCallId: "c1",
    toolName: "view",
    arguments: { path: "a.ts" },
    signal,
  });
});
