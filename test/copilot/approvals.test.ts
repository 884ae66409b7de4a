import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

async function begin(replies: readonly object[]) {
  const { project: folder } = tempWorkspace();
  const script = join(folder, "script.json");
  await writeFile(script, JSON.stringify({ replies }));
  const runtime = startRuntime(join(folder, "home"), folder);
  const client = runtime.connect();
  const open = (sessionId: string, more: object = {}) =>
    client.request("session.create", { sessionId, model: `scripted:${script}`, ...more });
  return { folder, client, open, notes: runtime.notes };
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

test("an app that says nothing about calls, or what nobody understands, is told so once", async () => {
  const running = { calls: [{ tool: "weather", arguments: {} }] };
  const { client, open, notes } = await begin([running, running, { text: "No." }]);
  const tools = [{ name: "weather", description: "The weather", parameters: { type: "object" } }];
  await open("s", { tools, requestPermission: false });
  await client.request("session.send", { sessionId: "s", prompt: "How warm is it?" });
  for (const kind of ["aprove-once", "user-not-available"]) {
    const { requestId } = await client.next("permission.requested");
    const result = { kind };
    await client.request("session.permissions.handlePendingPermissionRequest", { sessionId: "s", requestId, result });
  }
  await client.next("session.idle");
  expect(notes.filter((note) => note.includes("weather"))).toEqual([
    expect.stringMatching(/^session s: the call of weather has to be allowed or denied, .*onPermissionRequest/),
    expect.stringMatching(/^the call of weather was denied: .*"aprove-once", and kinds are approve-once, /),
  ]);
});

test("a rule that the app sets while a call waits counts for it, and one about another tool does not", async () => {
  const running = { calls: [{ tool: "web_fetch", arguments: { url: "http://127.0.0.1:9/" } }] };
  const { client, open } = await begin([running, { text: "No." }, running, { text: "Yes." }]);
  await open("s");
  const deny = (denied: readonly object[]) =>
    client.request("session.permissions.configure", { sessionId: "s", rules: { denied } });
  for (const [kind, isDenied] of [
    ["url", true],
    ["read", false],
  ] as const) {
    await deny([]);
    await client.request("session.send", { sessionId: "s", prompt: "Fetch" });
    const { requestId } = await client.next("permission.requested");
    await deny([{ kind }]);
    const result = { kind: "approve-once" };
    await client.request("session.permissions.handlePendingPermissionRequest", { sessionId: "s", requestId, result });
    const done = JSON.stringify(await client.next("tool.execution_complete"));
    expect(done.includes("a permission rule of the app denies it")).toBe(isDenied);
    await client.next("session.idle");
  }
});
