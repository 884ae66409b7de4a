import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { startRuntime } from "../../../../test/support/copilot-client.ts";
import { auditedCalls, createMachine, runCli } from "../../../../test/support/run-cli.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { findAuditPath } from "../../../runtime/audit/audit-path.ts";
import { createSessionIn } from "../../../runtime/session/create-session.ts";
import { ownSurroundings } from "../../../system/surroundings.ts";

const SCRIPT = `replies:
  - calls: [{ tool: view, arguments: { path: notes.txt } }]
  - calls: [{ tool: task, arguments: { agent: explore, prompt: Look, description: look } }]
  - text: Done.
agents:
  explore:
    - calls: [{ tool: grep, arguments: { pattern: hello } }]
    - text: Seen.
`;
const QUIET = "replies: [{ text: Nothing to do. }]\n";
const POLICY = "policy: { audit: required }\n";

function machine(env: Readonly<Record<string, string>> = {}) {
  const files = { "s.yaml": SCRIPT, "quiet.yaml": QUIET, "notes.txt": "hello\n", "policy.yaml": POLICY };
  const { cwd, home } = createMachine(files);
  const own = { HOME: home, ...env };
  const cli = (...argv: readonly string[]) => runCli(argv, { cwd, env: own });
  const rows = async () =>
    (await cli("audit", "--json")).out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  return { cwd, home, env: own, cli, rows, path: () => findAuditPath({ cwd, home, env: own }) };
}

const REQUIRED = { TOOLCRIB_POLICY: "policy.yaml" };

test("calls of run and call, and those of agents below, are in the log of the workspace", async () => {
  const { cli, rows } = machine();
  expect((await cli("run", "Look", "--model", "scripted:s.yaml")).out).toBe("Done.\n");
  expect((await cli("call", "view", "--args", '{"path":"notes.txt"}')).status).toBe(0);
  const calls = (await rows()).filter(({ type }) => type === "call");
  expect(calls.map(({ client, principal, tool, result }) => [client, principal, tool, result])).toEqual([
    ["toolcrib run", "main", "view", "success"],
    ["toolcrib run", "main", "grep", "success"],
    ["toolcrib run", "main", "task", "success"],
    ["toolcrib call", "main", "view", "success"],
  ]);
  expect(calls[0]).toMatchObject({ arguments: { path: "notes.txt" }, decision: { decision: "allow" } });
  expect(calls.map(({ agent }) => agent)).toEqual([undefined, expect.any(String), undefined, undefined]);
  const { status, out } = await cli("audit", "--verify", "--json");
  expect([status, JSON.parse(out)]).toEqual([0, expect.objectContaining({ runs: 2, open: 0, problems: [] })]);
});

test("a run without calls, or with --no-audit, writes no log", async () => {
  const { cli, home } = machine();
  await cli("run", "Nothing", "--model", "scripted:quiet.yaml");
  expect((await cli("run", "Look", "--model", "scripted:s.yaml", "--no-audit")).status).toBe(0);
  expect(readdirSync(home, { recursive: true }).filter((path) => String(path).includes("audit"))).toEqual([]);
});

test("a log that cannot be written keeps no run from its calls, and is reported", async () => {
  const { cli, path } = machine();
  mkdirSync(await path(), { recursive: true });
  const { status, out, err } = await cli("run", "Look", "--model", "scripted:s.yaml");
  expect([status, out]).toEqual([0, "Done.\n"]);
  expect(err).toContain("the audit log could not be opened; calls go on without it");
});

test.each([[["run", "Look", "--model", "scripted:s.yaml"]], [["call", "view", "--args", '{"path":"notes.txt"}']]])(
  "where managed policy requires the log, %j does not begin without it",
  async (argv) => {
    const { cli, path, cwd } = machine(REQUIRED);
    expect(await cli(...argv, ...(argv[0] === "run" ? ["--no-audit"] : []))).toMatchObject({
      status: argv[0] === "run" ? 1 : 0,
    });
    rmSync(dirname(await path()), { recursive: true, force: true });
    mkdirSync(await path(), { recursive: true });
    const { status, out, err } = await cli(...argv);
    expect([status, out]).toEqual([1, ""]);
    expect(err).toContain("managed policy requires the log of calls (policy.yaml:1), and it cannot be written");
    expect(existsSync(join(cwd, "notes.txt"))).toBe(true);
  },
);

test("where it is required, calls of a program are written down before they run, whichever session makes them", async () => {
  const { cwd, env, path, cli } = machine(REQUIRED);
  const seen: unknown[] = [];
  const open = () =>
    createSessionIn(
      { ...ownSurroundings(), env: { ...env, TOOLCRIB_POLICY: join(cwd, "policy.yaml") }, cwd },
      {
        tools: [
          defineTool("touch", {
            description: "Touches.",
            parameters: { type: "object" },
            skipPermission: true,
            handler: async () => {
              seen.push(readFileSync(await path(), "utf8").includes('"type":"call.running"'));
              return "touched";
            },
          }),
        ],
      },
    );
  const [one, two] = await Promise.all([open(), open()]);
  expect((await one.call("touch")).resultType).toBe("success");
  await one.close();
  expect((await two.call("touch")).resultType).toBe("success");
  await two.close();
  expect(seen).toEqual([true, true]);
  const { out } = await cli("audit", "--verify", "--json");
  expect(JSON.parse(out)).toMatchObject({ runs: 1, open: 0, problems: [] });
});

test("where it is required, calls of an app on toolcrib rpc are in the log", async () => {
  const { cwd, home } = machine();
  writeFileSync(
    join(cwd, "app.yaml"),
    "replies: [{ calls: [{ tool: pay, arguments: { sum: 1 } }] }, { text: Done. }]\n",
  );
  const client = startRuntime(home, cwd, { TOOLCRIB_POLICY: join(cwd, "policy.yaml") }).connect();
  await client.request("session.create", { sessionId: "s", model: `scripted:${join(cwd, "app.yaml")}` });
  await client.request("session.send", { sessionId: "s", prompt: "Pay" });
  await client.next("session.idle");
  // There is no such tool, and the attempt is in the log all the same.
  await expect
    .poll(() => auditedCalls({ cwd, home }), { timeout: 30_000 })
    .toMatchObject([{ tool: "pay", arguments: { sum: 1 }, result: "failure" }]);
});
