import { expect, test } from "vitest";
import { openCodeSession, shareThread } from "../support/code-session.ts";
import { packagedServer } from "../support/mcp-sources.ts";

shareThread();

test("a server that asks in the middle of code is answered, and the code goes on", async () => {
  const everything = packagedServer("everything");
  const asked: unknown[] = [];
  const { session, run } = await openCodeSession({
    mcpServers: { all: { command: process.execPath, args: [everything, "stdio"] } },
    permissions: { allow: ["all/*"] },
    onElicitationRequest: async ({ server, mode, codeLine }) => {
      asked.push([server, mode, codeLine]);
      return asked.length === 1 ? { action: "accept", content: { name: "Ada", check: true } } : { action: "decline" };
    },
  });
  await session.settled();
  const told: unknown[] = [];
  session.on("elicitation.requested", ({ server }) => told.push(server));
  const lines = [
    'await tools.describe("all.trigger_elicitation_request"); await tools.describe("all.get_sum");',
    "const first = await all.trigger_elicitation_request();",
    "const second = await all.trigger_elicitation_request();",
    "const sum = await all.get_sum({ a: 1, b: 2 });",
    'return [String(first).includes("Ada"), String(second).includes("declined"), String(sum).includes("3")];',
  ];
  expect(await run(lines.join("\n"))).toBe("[true,true,true]");
  expect(asked).toEqual([
    ["all", "form", { line: 2, text: lines[1] }],
    ["all", "form", { line: 3, text: lines[2] }],
  ]);
  expect(told).toEqual(["all", "all"]);
});
