import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime } from "../support/copilot-client.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

/** A turn whose every place for a secret has one. */
async function runWith(logLevel: "info" | "debug") {
  const { project } = tempWorkspace();
  const script = join(project, "script.json");
  const calls = [{ tool: "look", arguments: { key: "canary-argument" } }];
  await writeFile(script, JSON.stringify({ replies: [{ calls }, "I read canary-reply."] }));
  const env = { COPILOT_ALLOW_GET_PROVIDER_ENDPOINT: "true" };
  const runtime = startRuntime(join(project, "home"), project, env, undefined, { logLevel });
  const client = runtime.connect();
  client.answers.set("hooks.invoke", () => ({ output: { additionalContext: "canary-hook" } }));
  await client.request("connect", { token: "canary-connection" });
  await client.request("secrets.addFilterValues", { values: ["canary-filter"] });
  const sessionId = "s1";
  const ask = (method: string, params = {}) => client.request(`session.${method}`, { sessionId, ...params });
  await ask("create", {
    model: `scripted:${script}`,
    gitHubToken: "canary-github",
    provider: {
      ...{ type: "openai", baseUrl: "http://canary-user:canary-password@127.0.0.1:9", apiKey: "canary-key" },
      ...{ bearerToken: "canary-bearer", headers: { "x-key": "canary-header" } },
    },
    mcpServers: { files: { command: "none", args: ["--token=canary-option"], env: { TOKEN: "canary-variable" } } },
    tools: [{ name: "look", description: "Looks" }],
    hooks: true,
  });
  await ask("provider.getEndpoint").catch(() => null);
  await client.request("no.such.method", { key: "canary-unknown" }).catch(() => null);
  await ask("send", { prompt: "My word is canary-prompt.", attachments: [{ type: "blob", data: "canary-blob" }] });
  const asked = await client.next("permission.requested");
  const result = { kind: "approve-once", feedback: "canary-feedback" };
  await ask("permissions.handlePendingPermissionRequest", { requestId: asked.requestId, result });
  const called = await client.next("external_tool.requested");
  await ask("tools.handlePendingToolCall", { requestId: called.requestId, error: "canary-error" });
  await client.next("session.idle");
  return { log: runtime.notes.join("\n"), asked };
}

test("debug logs requests, answers and events, with ids and kinds, and nothing that may be secret", async () => {
  const { log, asked } = await runWith("debug");
  expect(log).toMatch(/-> session\.create #\d+ \{ sessionId: "s1", model: "scripted:/);
  expect(log).toMatch(/<- session\.create #\d+ answer \{ sessionId: "s1"/);
  expect(log).toMatch(
    /<- session\.event \{ sessionId: "s1", event: \{.*type: "user\.message", data: \{ content: text\(25\)/,
  );
  expect(log).toContain(`requestId: "${String(asked.requestId)}"`);
  expect(log).toContain('kind: "custom-tool"');
  expect(log).toMatch(/<- hooks\.invoke #\d+/);
  expect(log).toMatch(/-> hooks\.invoke #\d+ answer \{ output: object\(1\) \}/);
  expect(log).toMatch(/<- no\.such\.method #\d+ error \{ code: -32601, message: text\(/);
  expect(log).not.toContain("canary");
});

test("without it nothing of the wire is logged", async () => {
  const { log } = await runWith("info");
  expect(log).not.toMatch(/<-|->|canary/);
});
