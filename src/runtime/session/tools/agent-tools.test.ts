import { expect, onTestFinished, test } from "vitest";
import { makeTempFolder } from "../../../../test/support/temp-folder.ts";
import { AGENT_TOOL_NAMES } from "../../../sources/builtin/definitions.ts";
import { createSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";

async function open(options: SessionOptions) {
  const session = await createSession({ workspace: makeTempFolder(), builtins: "read", ...options });
  onTestFinished(() => session.close());
  const standing = (name: string) => session.toolset.placements.find(({ entry }) => entry.tool.name === name)?.standing;
  return { session, standing };
}

test("tools for agents are hidden where no model could run one, and why says so", async () => {
  const { session, standing } = await open({});
  for (const name of AGENT_TOOL_NAMES) expect([name, standing(name)]).toEqual([name, "hidden"]);
  expect(JSON.stringify(session.why("task"))).toContain("there is no model that agents could be run with");
  await session.updateOptions({ model: "anthropic/claude-sonnet-4-5" });
  expect(standing("task")).toBe("visible");
});

test.each([
  ["a model", { model: "anthropic/claude-sonnet-4-5" }],
  ["an agent with a model of its own", { customAgents: [{ name: "a", description: "A", model: "openai/gpt-5" }] }],
])("with %s they are there, unless a list leaves them out", async (_, options) => {
  const { session, standing } = await open(options);
  expect(standing("task")).toBe("visible");
  await session.updateOptions({ excludedTools: ["agents"] });
  expect(standing("task")).toBe("hidden");
});
