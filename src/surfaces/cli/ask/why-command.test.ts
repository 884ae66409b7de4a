import { describe, expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const why = (name: string, world: unknown, ...argv: string[]) =>
  runCli(["why", name, "--world", "-", ...argv], { stdin: JSON.stringify(world), columns: 100 });

const WORLD = {
  tools: [
    { name: "view" },
    { name: "create_issue", source: "mcp", server: "github" },
    { name: "list_issues", source: "mcp", server: "github", defer: "never" },
  ],
  options: {
    excludeTools: ["create_issue"],
    agent: "reviewer",
    agents: [{ name: "reviewer", tools: ["view"] }],
  },
};

describe("a hidden tool", () => {
  test("answer first, every reason with its origin, the gates it passed, and all that has to change", async () => {
    const { status, out, err } = await why("github/create_issue", WORLD);
    expect([status, err]).toEqual([1, ""]);
    expect(out).toMatchInlineSnapshot(`
      "github/create_issue is hidden
        hide   filter      excluded by "create_issue"            stdin options.excludeTools[0]
        hide   agent       not in the tools of agent "reviewer"  stdin options.agents[0].tools
        pass   builtins feature capability mode model host-shell group policy server-filter skill
               deny-rule trust duplicate
      To see it: remove "create_issue" from excludeTools (stdin options.excludeTools[0]); and add
      "github/create_issue" to the tools of agent "reviewer" (stdin options.agents[0].tools).
      "
    `);
  });

  test("reasons point at the line of the file", async () => {
    const { cwd, home } = createMachine({
      "toolcrib.yaml":
        "excludeTools:\n  - web\nagents:\n  - { name: reviewer, description: d, prompt: p, tools: [view] }\n",
    });
    const { out } = await runCli(["why", "web_fetch", "--agent", "reviewer"], { cwd, env: { HOME: home } });
    expect(out).toMatchInlineSnapshot(`
      "web_fetch is hidden
        hide   filter      excluded by "web"                     toolcrib.yaml:2
        hide   agent       not in the tools of agent "reviewer"  toolcrib.yaml:4
        pass   builtins feature capability mode model host-shell group policy
               server-filter skill deny-rule trust duplicate
      To see it: remove "web" from excludeTools (toolcrib.yaml:2); and add "web_fetch"
      to the tools of agent "reviewer" (toolcrib.yaml:4).
      "
    `);
  });

  test("on a narrow terminal the reasons wrap, and nothing is cut", async () => {
    const { out } = await runCli(["why", "github/create_issue", "--world", "-"], {
      stdin: JSON.stringify(WORLD),
      columns: 50,
    });
    for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(50);
    expect(out.replace(/\s+/g, " ")).toContain('not in the tools of agent "reviewer" (stdin options.agents[0].tools)');
  });
});

test("a visible tool is sent now, status 0", async () => {
  const { status, out } = await why("view", WORLD);
  expect(status).toBe(0);
  expect(out).toMatchInlineSnapshot(`
    "view is visible: sent to the model now
      pass   builtins feature capability mode model host-shell group policy server-filter filter agent
             skill deny-rule trust duplicate budget
    "
  `);
});

test("a deferred tool is found by tool_search, status 0, and the answer says how to always show it", async () => {
  const { status, out } = await why("github/create_issue", { tools: WORLD.tools, options: { toolSearch: "on" } });
  expect(status).toBe(0);
  expect(out).toMatchInlineSnapshot(`
    "github/create_issue is deferred: not sent now, tool_search finds it
      defer  budget      toolSearch is on  stdin options.toolSearch
      pass   builtins feature capability mode model host-shell group policy server-filter filter agent
             skill deny-rule trust duplicate
    To always show it: set defer: never for it (in toolOverrides), or toolSearch: off.
    "
  `);
});

test("tool_search while nothing is deferred says when it is there", async () => {
  const { status, err } = await why("tool_search", { tools: [{ name: "view" }] });
  expect([status, err]).toEqual([
    1,
    "toolcrib: tool_search is there only while something is deferred, and nothing is\n",
  ]);
});

describe("a name that means several tools", () => {
  test("explains each, and is a no if one is hidden", async () => {
    const { status, out } = await why("github", { ...WORLD, options: { excludeTools: ["create_issue"] } });
    expect(status).toBe(1);
    expect(out).toMatch(/^github means 2 tools: 1 visible, 0 deferred, 1 hidden\n/);
    expect(out).toContain("github/create_issue is hidden\n");
    expect(out).toContain("github/list_issues is visible");
  });

  test("that have a reason in common says it once", async () => {
    const tools = Array.from({ length: 12 }, (_, at) => ({ name: `t${at}`, source: "mcp", server: "s" }));
    const { out } = await why("s/*", { tools, options: { excludeTools: ["t3"] } });
    expect(out).toMatch(/^s\/\* means 12 tools: 11 visible, 0 deferred, 1 hidden\n/);
    expect(out).toContain("s/t3 is hidden\n");
    expect(out).toContain("Visible as well for 10 more:\n  s/t1, s/t10,");
  });

  test("for more than ten different reasons has a line each", async () => {
    const tools = Array.from({ length: 12 }, (_, at) => ({ name: `t${at}`, source: "mcp", server: "s" }));
    const world = { tools: [...tools, { name: "view" }], options: { excludeTools: tools.map(({ name }) => name) } };
    const { out } = await why("s/*", world);
    expect(out.split("\n")).toHaveLength(12 + 3);
    expect(out).toMatch(/ {2}hidden {4}s\/t3 {3}filter\n/);
  });
});

describe("an unknown name", () => {
  test("status 1 and the nearest names", async () => {
    const { status, out, err } = await why("github/creat_issue", WORLD);
    expect([status, out]).toEqual([1, ""]);
    expect(err).toContain('there is no tool "github/creat_issue"; did you mean "github/create_issue"');
    const json = await why("github/creat_issue", WORLD, "--json");
    expect(json.status).toBe(1);
    expect(JSON.parse(json.out).error).toMatchObject({ code: "tool.not-found" });
    expect(JSON.parse(json.out).error.names).toContain("github/create_issue");
  });

  test("of a server that has not listed its tools says so", async () => {
    const { status, err } = await why("jira/search", { tools: [{ name: "view" }], options: { servers: { jira: {} } } });
    expect(status).toBe(1);
    expect(err).toContain('the tools of server "jira" are not listed yet');
  });

  test.each(["__proto__", "", "\u001b[2J", "x".repeat(10_000)])("%j is no trouble", async (name) => {
    const { status, err } = await why(name, WORLD);
    expect(status).toBe(1);
    expect(err).not.toContain("\u001b");
  });
});

test("as JSON: every reason with its fix, and toSee with all of them", async () => {
  const { status, out } = await why("github/create_issue", WORLD, "--json");
  expect(status).toBe(1);
  const { query, tools } = JSON.parse(out);
  expect(query).toBe("github/create_issue");
  expect(tools).toHaveLength(1);
  expect(tools[0]).toMatchObject({ name: "github__create_issue", id: "github/create_issue", standing: "hidden" });
  expect(tools[0].reasons.map(({ code }: { code: string }) => code)).toEqual(["filter.excluded", "agent.not-listed"]);
  for (const { fix } of tools[0].reasons) expect(tools[0].toSee).toContain(fix);
});

test("in front of a client it says which row of the table decided", async () => {
  const world = { tools: [{ name: "a", source: "mcp", server: "s" }], options: { client: { name: "claude-code" } } };
  const { out } = await why("s/a", world);
  expect(out).toContain('The client: "claude-code" searches by itself, so it gets every tool');
  expect(JSON.parse((await why("s/a", world, "--json")).out).client).toContain('"claude-code" searches by itself');
});

describe("an agent that works for another one", () => {
  const files = {
    "toolcrib.yaml":
      "excludeTools: [web]\nagents:\n  - { name: reviewer, description: d, prompt: p, tools: [view, task, web_fetch] }\n",
  };

  test("has what its own list and the filters of the session leave, by the gates of every question (A4)", async () => {
    const { cwd, home } = createMachine(files);
    const ask = (...argv: string[]) =>
      runCli(["why", ...argv, "--no-start"], { cwd, env: { HOME: home }, columns: 100 });
    expect((await ask("view", "--agent", "reviewer", "--subagent")).status).toBe(0);
    const edit = await ask("edit", "--agent", "explore", "--subagent");
    expect(edit.status).toBe(1);
    expect(edit.out).toContain('not in the tools of agent "explore"');
    const task = await ask("task", "--agent", "general", "--subagent");
    expect(task.out).toContain('excluded by "task" in the subagent\'s exclude list');
    const web = await ask("web_fetch", "--agent", "reviewer", "--subagent");
    expect(web.out).toContain('excluded by "web"');
  });

  test("has to be named, and be there", async () => {
    const { cwd, home } = createMachine(files);
    const without = await runCli(["why", "view", "--subagent"], { cwd, env: { HOME: home } });
    expect([without.status, without.err]).toEqual([2, expect.stringContaining("--subagent needs --agent NAME")]);
    const wrong = await runCli(["why", "view", "--agent", "explor", "--subagent", "--no-start"], {
      cwd,
      env: { HOME: home },
    });
    expect(wrong.err).toContain('did you mean "explore"?');
  });
});

test("a slip in another product's name for a tool leads to the name that list shows", async () => {
  const { cwd, home } = createMachine();
  const { err } = await runCli(["why", "read_file"], { cwd, env: { HOME: home } });
  expect(err).toContain('there is no tool "read_file"; did you mean "view"');
  expect(err).not.toContain("readFile");
});
