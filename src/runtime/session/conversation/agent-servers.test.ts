import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeTempFolder } from "../../../../test/support/temp-folder.ts";
import type { SessionEvent } from "../../../core/events/envelope.ts";
import { createSession } from "../library.ts";
import type { SessionOptions } from "../options/session-options.ts";

const ECHO = join(import.meta.dirname, "../../../../test/fixtures/echo-server.cjs");
const server = (...more: string[]) => ({ command: process.execPath, args: [ECHO, ...more] });
const PID = { calls: [{ tool: "echo-pid", arguments: {} }] };
const TASK = { calls: [{ tool: "task", arguments: { agent: "helper", prompt: "Look.", description: "Look" } }] };

/** The processes that answered `pid`: the session's, then the agent's. */
async function processesOf(options: SessionOptions): Promise<readonly string[]> {
  const workspace = makeTempFolder();
  writeFileSync(
    join(workspace, "script.json"),
    JSON.stringify({ replies: [PID, TASK, { text: "." }], agents: { helper: [PID, { text: "." }] } }),
  );
  const session = await createSession({
    ...{ workspace, model: `scripted:${join(workspace, "script.json")}`, wireNames: "server-tool" },
    ...{ builtins: "read", mcpServers: { echo: server() }, onPermissionRequest: async () => ({ decision: "allow" }) },
    ...options,
  });
  onTestFinished(() => session.close());
  const events: SessionEvent[] = [];
  session.on("*", (event) => void events.push(event));
  await session.settled();
  await session.run("Go");
  return events.flatMap(({ type, data }) =>
    type === "tool.execution_complete" && data.toolName === "echo-pid" ? [String(data.content)] : [],
  );
}

const helper = { name: "helper", description: "Helps", prompt: "Help." };

test("an agent uses its own server, also beside another of the same name", async () => {
  const [first, second, ...more] = await processesOf({
    customAgents: [{ ...helper, mcpServers: { echo: server("own") } }],
  });
  expect([first, second]).toEqual([expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)]);
  expect(second).not.toBe(first);
  expect(more).toEqual([]);
});

test("an agent without servers of its own uses those that run", async () => {
  const [first, second] = await processesOf({ customAgents: [helper] });
  expect(second).toBe(first);
});

test("policy judges an agent's own server, not the other of the same name", async () => {
  const workspace = makeTempFolder();
  const policy = join(workspace, "policy.yaml");
  writeFileSync(policy, `policy: { deniedMcpServers: [{ serverCommand: [${process.execPath}, "${ECHO}", own] }] }\n`);
  process.env.TOOLCRIB_POLICY = policy;
  onTestFinished(() => void delete process.env.TOOLCRIB_POLICY);
  const session = await createSession({
    ...{ workspace, mcpServers: { echo: server() }, agent: "helper", wireNames: "server-tool" },
    customAgents: [{ ...helper, mcpServers: { echo: server("own") } }],
  });
  onTestFinished(() => session.close());
  const told: string[] = [];
  session.on("session.warning", ({ text }) => void told.push(text));
  await session.settled();
  expect(session.sources.some(({ name }) => name === "echo")).toBe(false);
  await expect.poll(() => told.join()).toContain("policy denies");
});
