import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSession, defineTool, type Session, type SessionOptions } from "../../src/index.ts";
import { makeFolder } from "../support/builtin-host.ts";
import { createMachine, runCli } from "../support/run-cli.ts";

/** Seeds 000 and 002 as a program or a person meets them, in folders of their own. */
async function open(options: SessionOptions): Promise<Session> {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "toolcrib-seed-")));
  const session = await createSession({ workspace, builtins: "all", ...options });
  onTestFinished(async () => {
    await session.close();
    rmSync(workspace, { recursive: true, force: true });
  });
  return session;
}

const visible = ({ toolset }: Session): readonly string[] =>
  toolset.placements.filter(({ standing }) => standing === "visible").map(({ entry }) => entry.identity);

const ECHO = fileURLToPath(new URL("../fixtures/echo-server.cjs", import.meta.url));
const SKILL = JSON.stringify({ name: "code-review", description: "Reviews", tools: ["tools/lint.json"] });
const LINT = JSON.stringify({ name: "lint", description: "Lints", run: { command: ["cat"] } });

describe("skill-loading", () => {
  test("skill.invoked is heard by anyone who listens as soon as there is a session", async () => {
    const workspace = makeFolder({
      "skills/code-review/skill.json": SKILL,
      "skills/code-review/tools/lint.json": LINT,
    });
    const session = await open({ workspace, skillDirectories: ["./skills/code-review"] });
    const heard = await new Promise((resolve) => session.on("skill.invoked", resolve));
    const path = join(workspace, "skills", "code-review", "skill.json");
    expect(heard).toEqual({ name: "code-review", path, content: "" });
  });

  test("a tool of a disabled skill is missed for that reason, with the entry that switches it off", async () => {
    const workspace = makeFolder({
      "skills/code-review/skill.json": SKILL,
      "skills/code-review/tools/lint.json": LINT,
    });
    const session = await open({ workspace, skillDirectories: ["skills"], disabledSkills: ["code-review"] });
    const because = `the skill "code-review" is switched off; remove "code-review" from disabledSkills (createSession disabledSkills[0])`;
    expect(session.why("lint")).toMatchObject({ kind: "unknown", because });
    await session.updateOptions({ disabledSkills: [] });
    await session.settled();
    expect(session.why("lint")).toMatchObject({ kind: "found" });
  });

  test("a tool of a skill whose file cannot be used is missed for that reason", async () => {
    const broken = JSON.stringify({ name: "lint", description: "Lints" });
    const workspace = makeFolder({ "skills/a/skill.json": SKILL, "skills/a/tools/lint.json": broken });
    const session = await open({ workspace, skillDirectories: ["skills"] });
    expect(session.why("lint")).toMatchObject({
      kind: "unknown",
      because:
        'the tool "tools/lint.json" of the skill "code-review" is left out: `run` must be { command }, { use } or { mcp } (skills/a/tools/lint.json:1)',
    });
  });

  test("a skill that an agent wants restricts although there is no folder of skills, and the advice is about it", async () => {
    const session = await open({ customAgents: [{ name: "worker", skills: ["gone"] }], agent: "worker" });
    expect(visible(session)).toEqual(["view"]);
    const answer = session.why("glob");
    expect(answer).toMatchObject({
      explanations: [
        {
          fixes: [
            'add a skill "gone" to skillDirectories, or stop asking for it (createSession customAgents[0].skills[0])',
          ],
        },
      ],
    });
  });

  test("an agent that wants a disabled skill is told that it is disabled, not that it does not exist", async () => {
    const workspace = makeFolder({ "skills/code-review/skill.json": SKILL });
    const session = await open({
      workspace,
      skillDirectories: ["skills"],
      disabledSkills: ["code-review"],
      customAgents: [{ name: "worker", skills: ["code-review"] }],
      agent: "worker",
    });
    const told = session.toolset.notices.find(({ code }) => code === "skill.unknown");
    expect(told?.text).toBe(
      'an agent names the skill "code-review", which disabledSkills switches off (createSession disabledSkills[0]); a skill that is not loaded allows the agent no tools',
    );
  });
});

describe("session options", () => {
  test("reasons name options as the program wrote them", async () => {
    const session = await open({ customAgents: [{ name: "reader", tools: ["view"] }], agent: "reader", mode: "plan" });
    expect(session.why("create")).toMatchObject({
      explanations: [
        {
          reasons: [
            { gate: "mode", reason: { origin: { call: "createSession mode" } } },
            { gate: "agent", reason: { origin: { call: "createSession customAgents[0].tools" } } },
          ],
        },
      ],
    });
  });

  test("a tool of a server that another agent brings is missed for that reason", async () => {
    const mcpServers = { own: { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] } };
    const session = await open({ customAgents: [{ name: "other", mcpServers }] });
    const because =
      'server "own" (createSession customAgents[0].mcpServers.own) is there only for agent "other"; select that agent, or add the server to mcpServers';
    for (const name of ["own", "own/go", "own__go", "mcp__own__go"])
      expect(session.why(name)).toMatchObject({ kind: "unknown", because });
    expect(session.why("owner/go")).not.toHaveProperty("because");
    await session.updateOptions({ agent: "other" });
    expect(session.why("own/go")).toEqual({ kind: "pending", server: "own" });
  });

  test("a server joins an open session with its options, and leaves it with them", async () => {
    const session = await open({ builtins: ["view"] });
    await session.updateOptions({ mcpServers: { echo: { command: process.execPath, args: [ECHO] } } });
    await expect.poll(() => visible(session), { timeout: 60_000 }).toContain("echo/echo");
    await session.updateOptions({ mcpServers: {} });
    expect(visible(session)).toEqual(["view"]);
  });

  test('`tools: ["*"]` of a server that has not listed its tools is nothing to tell', async () => {
    const silent = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
    const session = await open({ mcpServers: { all: { ...silent, tools: ["*"] }, one: { ...silent, tools: ["go"] } } });
    const pending = session.toolset.notices.filter(({ code }) => code === "filter.pending");
    expect(pending.map(({ names }) => names)).toEqual([["go"]]);
  });

  test("schedules are a feature, so that tools which need one can be had", async () => {
    const later = defineTool("later", { description: "Later", requires: ["schedule"], handler: () => "done" });
    const session = await open({ tools: [later] });
    expect(visible(session)).not.toContain("later");
    await session.updateOptions({ features: { schedule: true } });
    expect(visible(session)).toContain("later");
  });

  test("memory without a workspace says that it lacks the workspace, not the feature that is on", async () => {
    const session = await open({ workspace: null, features: { memory: true } });
    expect(session.why("recall_memory")).toMatchObject({
      explanations: [{ reasons: [{ reason: { text: "memory is on, and there is no workspace to keep it in" } }] }],
    });
  });

  test("a filter that leaves no tool says where it stands", async () => {
    await expect(open({ availableTools: ["vieww"] })).rejects.toMatchObject({
      code: "filter.no-tools",
      message: expect.stringContaining("no tool (createSession availableTools)"),
    });
  });
});

test("an empty include list of a file is told without a way out that files do not have", async () => {
  const { cwd, home } = createMachine({ "toolcrib.yaml": "includeTools: []\n" });
  const { status, err } = await runCli(["list"], { cwd, env: { HOME: home } });
  expect(status).toBe(3);
  expect(err).toContain(
    "includeTools is empty (toolcrib.yaml:1); name at least one tool or leave it out for all tools",
  );
  await expect(open({ availableTools: [] })).rejects.toThrow("or set allowNoTools: true");
});

describe("a tool that never came to be", () => {
  const why = async (name: string, files: Readonly<Record<string, string>>, trust: boolean) => {
    const { cwd, home } = createMachine(files);
    const options = { cwd, env: { HOME: home } };
    if (trust) await runCli(["trust", "--yes"], options);
    const { status, out } = await runCli(["why", name, "--json"], options);
    return { status, text: JSON.parse(out).error.text as string };
  };
  const MODULE_TOOL = 'tools:\n  - { name: helper, use: "./gone.js:helper" }\n';

  test("because its module is not there is told as that", async () => {
    const { status, text } = await why("helper", { "toolcrib.yaml": MODULE_TOOL }, true);
    expect(status).toBe(1);
    expect(text).toMatch(/^there is no tool "helper": .*there is no file "\.\/gone\.js".*\(toolcrib\.yaml:2\)$/);
  });

  test("because its entry names no export is told as that, and costs itself alone", async () => {
    const files = {
      "toolcrib.yaml": 'tools:\n  - { name: helper, use: "./here.js" }\n  - { name: other, use: "./here.js:other" }\n',
      "here.js": 'export const other = { tool: { name: "other", description: "d" }, handler: () => 1 };',
      "package.json": '{"type":"module"}',
    };
    const { cwd, home } = createMachine(files);
    const run = (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home } });
    await run("trust", "--yes");
    expect((await run("why", "helper")).err).toContain(
      '"./here.js" is not of the form module:export; write it like "./tools/docs.js:readDoc" (toolcrib.yaml:2)',
    );
    expect((await run("call", "other", "--yes")).out).toBe("1\n");
    expect((await run("doctor")).out).toContain('"helper" is left out');
  });

  test("because its file is not trusted is told as that", async () => {
    const { text } = await why("helper", { "toolcrib.yaml": MODULE_TOOL }, false);
    expect(text).toBe(
      'there is no tool "helper": the module tool "helper" (toolcrib.yaml:2) is left out until it is trusted: toolcrib trust',
    );
  });

  test("and that nobody knows of says that something waits for trust", async () => {
    const { text } = await why("lint", { "toolcrib.yaml": "skillDirectories: [skills]\n" }, false);
    expect(text).toContain('it may be among what waits for "toolcrib trust"');
    const trusted = await why("lint", { "toolcrib.yaml": "skillDirectories: [skills]\n" }, true);
    expect(trusted.text).not.toContain("trust");
  });

  test("because its server would be started in another way than was approved says so", async () => {
    const entry = (...args: readonly string[]) =>
      `mcpServers: { echo: { command: node, args: ${JSON.stringify(args)} } }\n`;
    const { cwd, home, write } = createMachine({ "toolcrib.yaml": entry(ECHO) });
    const run = (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home } });
    await run("trust", "--yes");
    expect((await run("pin")).status).toBe(0);
    write("toolcrib.yaml", entry(ECHO, "other"));
    await run("trust", "--yes");
    const { err } = await run("why", "echo/echo");
    expect(err).toContain(
      'nothing is known about "echo/echo": server "echo" is not started, because its entry starts it in another way',
    );
    expect((await run("pin", "--approve", "echo", "--yes")).status).toBe(0);
    expect((await run("why", "echo/echo")).status).toBe(0);
  });

  test("but under another name says which", async () => {
    const code = 'export const helper = { tool: { name: "assist", description: "d" }, handler: () => 1 };';
    const files = {
      "toolcrib.yaml": MODULE_TOOL.replace("gone", "here"),
      "here.js": code,
      "package.json": '{"type":"module"}',
    };
    expect((await why("helper", files, true)).text).toContain('brings a tool that calls itself "assist"');
  });
});
