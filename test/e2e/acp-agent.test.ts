import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { createScriptedModel } from "../../src/runtime/models/scripted-model.ts";
import type { PermissionRequest } from "../../src/runtime/permissions/permission-request.ts";
import { createSession } from "../../src/runtime/session/library.ts";
import { BIN, ensureBuilt } from "../support/built-cli.ts";
import { createMachine, runCli } from "../support/run-cli.ts";

beforeAll(ensureBuilt, 120_000);

const INNER = `replies:
  - text: I write.
    calls:
      - { tool: create, arguments: { path: made.txt, content: made } }
      - { tool: create, arguments: { path: secret.txt, content: made } }
  - text: One of them is written.
`;
const asks = (agent: string) => ({ tool: "task", arguments: { agent, prompt: "Write both", description: "write" } });

test("toolcrib acp works as an agent of ours, and what it asks about goes through our rules and people (B8)", async () => {
  const { cwd, home } = createMachine({ "inner.yaml": INNER });
  const asked: PermissionRequest[] = [];
  const session = await createSession({
    workspace: cwd,
    builtins: ["agents", "edit"],
    modelClient: createScriptedModel({ replies: [{ calls: [asks("other")] }, { text: "Done." }] }),
    permissions: { deny: ["Write(secret.txt)"] },
    customAgents: [
      {
        name: "other",
        description: "another program",
        acp: {
          command: process.execPath,
          args: [BIN, "acp", "--model", "scripted:inner.yaml"],
          env: { HOME: home, XDG_STATE_HOME: "", XDG_CONFIG_HOME: "" },
        },
      },
    ],
    onPermissionRequest: (request) => {
      asked.push(request);
      return { decision: "allow" };
    },
  });
  onTestFinished(() => session.close());
  const told: string[] = [];
  session.on("*", ({ type, agent }) => void (agent === null ? null : told.push(type)));
  expect(await session.run("Go")).toMatchObject({ stopReason: "end", text: "Done." });
  expect(asked).toMatchObject([{ toolName: "create", kind: "write", toolArgs: { path: join(cwd, "made.txt") } }]);
  expect(existsSync(join(cwd, "made.txt"))).toBe(true);
  expect(existsSync(join(cwd, "secret.txt"))).toBe(false);
  const [, , answers] = await session.history();
  expect(answers).toMatchObject({ answers: [{ result: { resultType: "success" } }] });
  expect(told).toEqual(expect.arrayContaining(["subagent.started", "permission.completed", "subagent.completed"]));
});

test("a program that is no such agent costs its own call, with what it wrote", async () => {
  const session = await createSession({
    workspace: null,
    builtins: ["agents"],
    modelClient: createScriptedModel({ replies: [{ calls: [asks("other")] }, { text: "Done." }] }),
    customAgents: [
      { name: "other", description: "none", acp: { command: "sh", args: ["-c", "echo no such thing >&2; exit 3"] } },
    ],
  });
  onTestFinished(() => session.close());
  await session.run("Go");
  const [, , answers] = await session.history();
  expect(JSON.stringify(answers)).toMatch(/The agent \\"other\\" exited with code 3.*no such thing/);
});

test("one that a project's file names runs nothing before it is trusted (B8)", async () => {
  const { cwd, home } = createMachine({
    "toolcrib.yaml": "agents: [{ name: planted, description: helps, acp: { command: touch, args: [ran.txt] } }]\n",
    "ask.yaml": `replies: [{ calls: [${JSON.stringify(asks("planted"))}] }, { text: Done. }]\n`,
  });
  const run = (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home } });
  const before = await run("run", "Go", "--model", "scripted:ask.yaml");
  expect(before.err).toContain('✗ task: The arguments do not fit the tool task: "agent" must be one of ["explore",');
  expect(existsSync(join(cwd, "ran.txt"))).toBe(false);
  const { status, out } = await run("trust", "--yes");
  expect({ status, out }).toEqual({
    status: 0,
    out: expect.stringContaining("ACP agent: planted (toolcrib.yaml:1)\n      runs: touch ran.txt"),
  });
  await run("run", "Go", "--model", "scripted:ask.yaml");
  expect(existsSync(join(cwd, "ran.txt"))).toBe(true);
});
