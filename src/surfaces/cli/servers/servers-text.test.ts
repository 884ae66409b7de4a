import { expect, test } from "vitest";
import { describeTrouble } from "./servers-text.ts";

test.each([
  ["exited with code 3", "It is tried again.", "it exited with code 3. It is tried again."],
  ["could not be started: no program.", "Install it.", "it could not be started: no program. Install it."],
  [null, null, "it has failed."],
])("what is wrong and what to do are sentences of their own: %s", (reason, next, text) => {
  expect(describeTrouble({ name: "it", status: { state: "failed", reason, next, stderr: null } })).toBe(text);
});
