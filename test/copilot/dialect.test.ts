import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { needs } from "../support/machine.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

test("results of built-in tools come in the words that these clients' models know", needs("bash"), async () => {
  const { project: folder } = tempWorkspace();
  const script = join(folder, "script.json");
  const look = { agent_type: "explore", name: "look", description: "Looks", prompt: "Look" };
  const replies = [
    { calls: [{ tool: "bash", arguments: { command: "echo '[exit code 7]'; exit 3", description: "Says" } }] },
    { calls: [{ tool: "task", arguments: { ...look, mode: "background" } }] },
    { calls: [{ tool: "read_agent", arguments: { agent_id: "look", wait: true } }] },
    ...Array.from({ length: 3 }, () => ({ text: "Done." })),
  ];
  await writeFile(script, JSON.stringify({ replies, agents: { explore: [{ text: "Found (it): now" }] } }));
  const client = startRuntime(join(folder, "home"), folder).connect();
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}` });
  await client.request("session.permissions.setApproveAll", { sessionId: "s", enabled: true });
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  const contentOf = (tool: string) => {
    const end = client.events.find(({ type, data }) => type === "tool.execution_complete" && data.toolName === tool);
    expect(end?.data.success).toBe(true);
    return (end?.data.result as { content: string } | undefined)?.content;
  };
  expect(contentOf("bash")).toBe("[exit code 7]\n<exited with exit code 3>");
  expect(contentOf("task")).toMatch(/^Agent started in background with agent_id: look\. /);
  expect(contentOf("read_agent")).toMatch(
    /^Agent completed\. agent_id: look, agent_type: explore, status: completed, description: Looks, elapsed: \d+s, total_turns: 1\n\nFound \(it\): now$/,
  );
});
