import { expect, onTestFinished, test } from "vitest";
import { defineTool } from "../../src/core/tool/define-tool.ts";
import { createScriptedModel } from "../../src/runtime/models/scripted-model.ts";
import { createSession } from "../../src/runtime/session/library.ts";
import { openStore } from "../../src/runtime/session/stored/stored-sessions.ts";
import type { PastToolset } from "../../src/surfaces/http/api/api.ts";
import { openInspector } from "./inspector.ts";

const SECRET = `ghp_${"b".repeat(30)}`;
const look = defineTool("look", { description: "Looks", handler: () => "seen" });
const other = defineTool("other", { description: "Other", handler: () => "done" });

test("the page is told of kept sessions, what happened in them and which tools there were, without secrets (S9, S10)", async () => {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  const session = await createSession({
    ...{ workspace: null, store, sessionId: "one", tools: [look, other], excludedTools: ["look"] },
    modelClient: createScriptedModel({ replies: [{ text: "Hello." }] }),
  });
  await session.run(`I am Ada, ${SECRET}`);
  await session.close();
  const { json } = await openInspector({}, { store });
  const get = (path: string) => json<unknown>(`/api/${path}`);

  expect(await get("sessions")).toMatchObject([{ id: "one", prompt: expect.stringContaining("I am Ada") }]);
  const details = await get("sessions/one");
  expect(details).toMatchObject({ session: { requests: 1 }, isCut: false });
  expect(JSON.stringify(details)).toContain("I am Ada, [hidden]");
  const past = await get("sessions/one/toolset?at=100");
  expect(JSON.stringify(past)).toContain('"look"');
  expect(JSON.stringify(past)).toContain("createSession");
  // As `toolcrib why --session` says it.
  expect(past).toMatchObject({
    told: expect.stringMatching(/^That was so in session one from event \d+ \(20.*Z\) on\.$/),
  });
  const told = new Map((past as PastToolset).toolset.tools.map((tool) => [tool.name, tool.told]));
  expect([told.get("look"), told.get("other")]).toEqual(["was hidden", "was visible: it was sent to the model"]);
  const file = await get("sessions/one/export?format=html");
  expect(file).toMatchObject({ name: "session-one.html", type: "text/html" });
  expect(JSON.stringify([await get("sessions"), details, past, file])).not.toContain(SECRET);
  for (const [path, status] of [
    ["sessions/none", 404],
    ["sessions/one/toolset?at=1", 404],
    ["sessions/one/toolset?at=x", 400],
    ["sessions/one/export?format=pdf", 400],
    ["sessions/one/other", 404],
  ] as const)
    await expect(get(path), path).rejects.toThrow(String(status));
});
