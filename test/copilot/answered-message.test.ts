import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

test("what a model says after a skill was loaded still answers the message of the client", async () => {
  const { project } = tempWorkspace({
    "skills/greet/SKILL.md": "---\nname: greet\ndescription: Greets\n---\nSay hello.\n",
  });
  const script = join(project, "script.json");
  const replies = [{ calls: [{ tool: "skill", arguments: { skill: "greet" } }] }, { text: "Hello." }];
  await writeFile(script, JSON.stringify({ replies }));
  const client = startRuntime(join(project, "home"), project).connect();
  const options = { sessionId: "s", model: `scripted:${script}`, skillDirectories: [join(project, "skills")] };
  await client.request("session.create", options);
  const answer = await client.request("session.sendAndWait", { sessionId: "s", prompt: "Greet" });
  expect(answer.response).toMatchObject({ data: { content: "Hello.", originatingMessageId: answer.messageId } });
});
