import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trustWorkspace } from "../../src/config/load-config.ts";
import { answerAll, startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

test("code of a model calls an app's tools, each call with its own question", async () => {
  const { project } = tempWorkspace({ ".git/HEAD": "", "toolcrib.yaml": "code: on\n" });
  await trustWorkspace({ cwd: project, home: join(project, "home"), env: {} });
  const script = join(project, "script.json");
  const code = 'await tools.describe("custom.pay");\nreturn await custom.pay({ to: "Ann" });';
  await writeFile(
    script,
    JSON.stringify({ replies: [{ calls: [{ tool: "run_code", arguments: { code } }] }, { text: "Paid." }] }),
  );
  const client = startRuntime(join(project, "home"), project).connect();
  const tool = {
    name: "pay",
    description: "Pays",
    parameters: { type: "object", properties: { to: { type: "string" } } },
  };
  await client.request("session.create", { sessionId: "s", model: `scripted:${script}`, tools: [tool] });
  const stop = answerAll(client, "s");
  await client.request("session.send", { sessionId: "s", prompt: "Pay" });
  await client.next("session.idle");
  stop();
  const ends = client.events.filter(({ type }) => type === "tool.execution_complete").map(({ data }) => data);
  expect(ends).toMatchObject([
    { toolName: "pay", success: true },
    { toolName: "run_code", success: true },
  ]);
  const asked = client.events.filter(({ type }) => type === "permission.requested").map(({ data }) => data);
  expect(JSON.stringify(asked)).toContain('"toolName":"pay"');
});
