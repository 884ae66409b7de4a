import assert from "node:assert/strict";
import { test } from "node:test";
import { createSession } from "toolcrib";
import { sourceContract } from "toolcrib/testing";
import { createClockSource } from "./clock-source.mjs";

const checks = sourceContract({
  make: () => ({ source: createClockSource() }),
  calls: { works: { tool: "now", args: {} } },
});
for (const { name, check } of checks) test(name, check);

test("a session uses it", async () => {
  const session = await createSession({ sources: [createClockSource(() => new Date(0))], workspace: null });
  const { textResultForLlm } = await session.call("now");
  assert.equal(textResultForLlm, "1970-01-01T00:00:00.000Z");
  await session.close();
});
