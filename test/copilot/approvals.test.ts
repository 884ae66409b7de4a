import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

async function begin(replies: readonly object[]) {
  const { project: folder } = tempWorkspace();
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify({ replies }));
  const client = startRuntime(join(folder, "home"), folder).connect();
  const open = (sessionId: string) => client.request("session.create", { sessionId, model: `scripted:${script}` });
  return { folder, client, open };
}

const asked = (events: readonly { readonly type: string }[]) =>
  events.filter(({ type }) => type === "permission.requested").length;

test("nobody is asked about addresses once a client says so, and again once it takes that back", async () => {
  const fetching = { calls: [{ tool: "web_fetch", arguments: { url: "http://127.0.0.1:9/" } }] };
  const { client, open } = await begin([fetching, { text: "No." }, fetching]);
  await open("s");
  const free = (enabled: boolean) =>
    client.request("session.permissions.urls.setUnrestrictedMode", { sessionId: "s", enabled });
  await free(true);
  await client.request("session.sendAndWait", { sessionId: "s", prompt: "Fetch" });
  expect(asked(client.events)).toBe(0);
  await free(false);
  await client.request("session.send", { sessionId: "s", prompt: "Fetch" });
  expect(await client.next("permission.requested")).toMatchObject({ permissionRequest: { kind: "url" } });
});

test("what was approved for a place counts in another session there once that applies it", async () => {
  const running = { calls: [{ tool: "bash", arguments: { command: "true", description: "Nothing" } }] };
  const { folder, client, open } = await begin([running, { text: "Ran." }]);
  await open("one");
  const approval = { kind: "commands", commandIdentifiers: ["true"] };
  const place = { locationKey: folder, approval };
  await client.request("session.permissions.locations.addToolApproval", { sessionId: "one", ...place });
  await open("two");
  const apply = { sessionId: "two", workingDirectory: folder };
  expect(await client.request("session.permissions.locations.apply", apply)).toMatchObject({
    appliedRuleCount: 1,
    appliedRules: [{ kind: "shell", argument: "true" }],
  });
  await client.request("session.sendAndWait", { sessionId: "two", prompt: "Run" });
  expect(asked(client.events)).toBe(0);
});
