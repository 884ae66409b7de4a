import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

test("many calls of an app's tool at once are all answered, and nobody is warned of a leak", async () => {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  const calls = Array.from({ length: 14 }, () => ({ tool: "echo", arguments: {} }));
  await writeFile(script, JSON.stringify({ replies: [{ calls }, { text: "Done." }] }));
  const leaks: Error[] = [];
  const warn = (warning: Error): void => void (warning.name === "MaxListenersExceededWarning" && leaks.push(warning));
  process.on("warning", warn);
  onTestFinished(() => void process.off("warning", warn));
  const client = startRuntime(join(project, "home"), project).connect();
  const tools = [{ name: "echo", description: "Says it again", skipPermission: true }];
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}`, tools });
  const answer = client.request("session.sendAndWait", { sessionId: "s", prompt: "Go" });
  const asked = await Promise.all(calls.map(() => client.next("external_tool.requested")));
  await Promise.all(
    asked.map(({ requestId }) =>
      client.request("session.tools.handlePendingToolCall", { sessionId: "s", requestId, result: "hi" }),
    ),
  );
  expect((await answer).response).toMatchObject({ data: { content: "Done." } });
  expect(leaks).toEqual([]);
});
