import { describe, expect, test } from "vitest";
import { AS_RUN, createMachine, runCli } from "../../../../test/support/run-cli.ts";
import { widthOf } from "../terminal/text-width.ts";

const WORLD = {
  tools: [
    { name: "view", description: "Reads a file.", traits: { readOnly: true } },
    { name: "edit", description: "Changes a file." },
    { name: "create_issue", source: "mcp", server: "github" },
    { name: "日本語の検索", source: "mcp", server: "docs" },
  ],
  toolsets: [{ id: "toolset:write", name: "write", members: ["edit"] }],
  options: {
    excludeTools: ["github/*", "edt"],
    agents: [{ name: "reviewer", tools: ["view"] }],
    model: { id: "m", capabilities: { vision: true } },
  },
};
const list = (argv: readonly string[], world: unknown = WORLD, options = {}) =>
  runCli(["list", "--world", "-", ...argv], { stdin: JSON.stringify(world), ...options });

describe("for people", () => {
  test("a table with standing, source, tokens and first reason, and a sum", async () => {
    const { status, out, err } = await list([]);
    expect(status).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "STANDING  TOOL                 SOURCE   TOKENS  REASON
      visible   edit                 builtin      14
      visible   view                 builtin      14
      visible   docs/日本語の検索    mcp          11
      hidden    github/create_issue  mcp          12  filter: excluded by "github/*"

      3 visible, 0 deferred, 1 hidden; about 39 tokens sent now
      "
    `);
    expect(err).toMatchInlineSnapshot(`
      "toolcrib: warning: excludeTools names "edt", which no tool, toolset or server has; did you mean "edit"? (stdin options.excludeTools[1])
      "
    `);
  });

  test("every line fits the terminal", async () => {
    for (const columns of [60, 80, 120]) {
      const { out } = await list(["--mode", "plan"], WORLD, { columns });
      for (const line of out.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  });

  test("only one standing is shown when asked for, and the sum still counts all", async () => {
    const { out } = await list(["--standing", "hidden"]);
    expect(out).toMatchInlineSnapshot(`
      "STANDING  TOOL                 SOURCE  TOKENS  REASON
      hidden    github/create_issue  mcp         12  filter: excluded by "github/*"

      3 visible, 0 deferred, 1 hidden; about 39 tokens sent now
      "
    `);
  });

  test("escape sequences of a hostile server never reach the terminal", async () => {
    const evil = { name: "a\u001b[2Jb", source: "mcp", server: "e\u001b]0;x\u0007", description: "\u001b[31m" };
    for (const argv of [[], ["--json"]]) {
      const { out, err } = await list(argv, { tools: [evil, { name: "ok" }] }, { isTTY: true, env: { NO_COLOR: "1" } });
      expect(out + err).not.toMatch(/\p{Cc}(?<!\n)/u);
    }
  });

  test("colour is for terminals, never with NO_COLOR, and on demand with FORCE_COLOR", async () => {
    const isPainted = async (isTTY: boolean, env: Record<string, string>) =>
      (await list([], WORLD, { isTTY, env })).out.includes("\u001b[");
    expect(await isPainted(true, {})).toBe(true);
    expect(await isPainted(false, {})).toBe(false);
    expect(await isPainted(true, { NO_COLOR: "1" })).toBe(false);
    expect(await isPainted(false, { FORCE_COLOR: "1" })).toBe(true);
    expect(await isPainted(true, { FORCE_COLOR: "0" })).toBe(false);
  });

  test("notices are told as far as the log level wants them", async () => {
    expect((await list(["--log-level", "error"])).err).toBe("");
    expect((await list([], WORLD, { env: { TOOLCRIB_LOG: "error" } })).err).toBe("");
    expect((await list(["--log-level", "debug"])).err).toMatch(/debug: read \d+ bytes of stdin\n/);
  });
});

describe("for programs", () => {
  test("one document of the promised shape, and nothing on stderr", async () => {
    const { status, out, err } = await list(["--json"]);
    expect([status, err]).toEqual([0, ""]);
    const { catalogHash, tools, toolsets, notices } = JSON.parse(out);
    expect(catalogHash).toMatch(/^[0-9a-f]{64}$/);
    expect(tools[3]).toEqual({
      name: "github__create_issue",
      id: "github/create_issue",
      source: "mcp",
      server: "github",
      standing: "hidden",
      tokens: expect.any(Number),
      trace: [
        {
          gate: "filter",
          verdict: "hide",
          code: "filter.excluded",
          text: 'excluded by "github/*"',
          origin: "stdin options.excludeTools[0]",
        },
      ],
    });
    expect(toolsets).toEqual([{ name: "write", enabled: true }]);
    expect(notices[0]).toMatchObject({ level: "warning", code: "filter.unknown-name", names: ["edt"] });
  });
});

describe("flags lie on the world", () => {
  const standings = async (...argv: string[]) => {
    const { tools } = JSON.parse((await list(["--json", ...argv])).out);
    return Object.fromEntries(
      tools.map(({ name, standing }: { name: string; standing: string }) => [name.split("__")[0], standing]),
    );
  };

  test("what is excluded adds up", async () => {
    expect(await standings("--exclude", "view")).toMatchObject({ view: "hidden", github: "hidden", edit: "visible" });
  });

  test("an include list replaces", async () => {
    expect(await standings("--include", "edit")).toMatchObject({ view: "hidden", edit: "visible" });
  });

  test("mode and agent are set", async () => {
    expect(await standings("--mode", "plan")).toMatchObject({ view: "visible", edit: "hidden" });
    expect(await standings("--agent", "reviewer")).toMatchObject({ view: "visible", edit: "hidden" });
  });

  test("a model is looked up in the shipped table", async () => {
    const world = {
      tools: [
        { name: "patch", variant: "edit:patch" },
        { name: "replace", variant: "edit:replace" },
      ],
    };
    const { out } = await list(["--json", "--model", "gpt-5"], world);
    expect(JSON.parse(out).tools.map(({ standing }: { standing: string }) => standing)).toEqual(["visible", "hidden"]);
  });

  test("an unknown agent is an error that names the flag and the nearest", async () => {
    const { status, err } = await list(["--agent", "revewer"]);
    expect([status, err]).toEqual([3, 'toolcrib: --agent: there is no agent "revewer"; did you mean "reviewer"?\n']);
  });
});

describe("a world that cannot be used is an error, status 3", () => {
  test.each([
    ["{ no", "world.invalid", "stdin:1:3: not valid JSON"],
    ["[]", "world.invalid", "stdin: "],
    ['{"tools":[{"name":1}]}', "world.invalid", "tools[0].name"],
    ['{"tools":[{"name":"a"}],"options":{"includeTools":[]}}', "filter.empty-include", "includeTools is empty"],
    ['{"tools":[{"name":"a"}],"options":{"includeTools":["b"]}}', "filter.no-tools", "includeTools leaves no tool"],
  ])("%s", async (stdin, code, text) => {
    const { status, err, out } = await runCli(["list", "--world", "-"], { stdin });
    expect([status, out]).toEqual([3, ""]);
    expect(err).toContain(text);
    expect(err).not.toContain("    at ");
    const json = await runCli(["list", "--world", "-", "--json"], { stdin });
    expect(json).toMatchObject({ status: 3, err: "" });
    expect(JSON.parse(json.out)).toMatchObject({ error: { code } });
  });

  test("a missing file and a folder are told apart", async () => {
    const { cwd } = createMachine();
    const missing = await runCli(["list", "--world", "no.json", "--json"], { cwd });
    expect(JSON.parse(missing.out).error).toMatchObject({ code: "world.not-found", names: ["no.json"] });
    const folder = await runCli(["list", "--world", "."], { cwd });
    expect(folder).toMatchObject({ status: 3, err: expect.stringContaining("it is a directory") });
  });
});

describe("without a world the configuration counts", () => {
  test("built-in tools are judged by the files that are found", async () => {
    const { cwd, home } = createMachine({ "toolcrib.yaml": "excludeTools:\n  - web\n" });
    const { status, out } = await runCli(["list", "--json"], { cwd, env: { HOME: home } });
    expect(status).toBe(0);
    const tool = JSON.parse(out).tools.find(({ name }: { name: string }) => name === "web_fetch");
    expect(tool.trace[0]).toMatchObject({ code: "filter.excluded", origin: "toolcrib.yaml:2" });
  });

  test("servers are not started, so a list that names one is pending", async () => {
    const { home, cwd } = createMachine({ user: "mcpServers: { github: { command: no-such-program } }" });
    const { out } = await runCli(["list", "--json", "--exclude", "github"], { cwd, env: { HOME: home } });
    expect(JSON.parse(out).notices[0]).toMatchObject({ code: "filter.pending", names: ["github"] });
  });

  test("overrides of a tool hold", async () => {
    const { home, cwd } = createMachine({ user: "toolOverrides: { view: { name: look } }" });
    const { out } = await runCli(["list", "--json"], { cwd, env: { HOME: home } });
    const names = JSON.parse(out).tools.map(({ name }: { name: string }) => name);
    expect([names.includes("look"), names.includes("view")]).toEqual([true, false]);
  });

  test("a mistake in a file ends with its line, status 3", async () => {
    const { home, cwd } = createMachine({ "toolcrib.yaml": "agent: null\nexcludTools: [web]\n" });
    const { status, err } = await runCli(["list"], { cwd, env: { HOME: home } });
    expect(status).toBe(3);
    expect(err).toContain("toolcrib.yaml:2");
    expect(err).toContain("excludeTools");
  });
});

test("on a terminal it says that up starts with fewer tools where nothing is configured", async () => {
  const said = async (files: Readonly<Record<string, string>>, errIsTTY: boolean) => {
    const { cwd, home } = createMachine(files);
    const { err } = await runCli(["list", "--no-start"], { cwd, env: { HOME: home }, errIsTTY });
    return err;
  };
  expect(await said({}, true)).toContain('"toolcrib up" then offers those that only read');
  expect(await said({}, false)).toBe(AS_RUN);
  expect(await said({ "toolcrib.yaml": "excludeTools: [web]\n" }, true)).toBe(AS_RUN);
});
