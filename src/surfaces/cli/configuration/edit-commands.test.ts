import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

function createProject(files: Readonly<Record<string, string>> = {}) {
  const { cwd, home, write } = createMachine(files);
  const cli = (...argv: readonly string[]) => runCli(argv, { cwd, env: { HOME: home } });
  const read = (file = "toolcrib.yaml") => readFileSync(join(cwd, file), "utf8");
  const writeHome = (file: string, text: string) => {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  };
  return { cwd, home, write, writeHome, cli, read };
}

describe("add", () => {
  test("creates the file, shows the lines, and says that the workspace must be trusted", async () => {
    const { cli, read } = createProject();
    const { status, out } = await cli("add", "files", "--env", "ROOT=.", "--", "npx", "-y", "server", "--json");
    expect(status).toBe(0);
    expect(parse(read())).toEqual({
      mcpServers: { files: { command: "npx", args: ["-y", "server", "--json"], env: { ROOT: "." } } },
    });
    expect(out).toContain("+   files:");
    expect(out).toContain("toolcrib trust");
  });

  test("keeps comments, and says nothing of trust where it is given", async () => {
    const { cli, read } = createProject({ "toolcrib.yaml": "# mine\nagent: null # none\n" });
    await cli("add", "a", "--", "x");
    await cli("trust", "--yes");
    expect(read()).toMatch(/^# mine\nagent: null # none\n/);
    const { out } = await cli("add", "b", "--url", "https://h/mcp", "--config", "toolcrib.yaml");
    expect(out).not.toContain("toolcrib trust");
  });

  test("a remote server takes headers with commas, a type and tools, and unset variables are named", async () => {
    const { cli, read } = createProject();
    const header = "Authorization=Bearer ${NO_SUCH}";
    const argv = ["--header", header, "--header", "X: a, b", "--type", "sse", "--tools", "a,b"];
    const { out, err } = await cli("add", "gh", "--url", "https://h/sse", ...argv);
    expect(parse(read()).mcpServers.gh).toEqual({
      type: "sse",
      url: "https://h/sse",
      headers: { Authorization: "Bearer ${NO_SUCH}", X: "a, b" },
      tools: ["a", "b"],
    });
    expect(out).toContain("Set NO_SUCH");
    expect(err).not.toContain("Authorization");
  });

  test("an OpenAPI document is an API, under the names that servers have", async () => {
    const { cli, read } = createProject({
      "toolcrib.yaml": "# mine\nmcpServers:\n  a: { command: x }\n",
      "pets.yaml": "",
      "shop.yaml": "",
      "a.yaml": "",
      "b.yaml": "",
    });
    expect((await cli("add", "pets", "--openapi", "pets.yaml")).status).toBe(0);
    expect(
      (await cli("add", "shop", "https://h/v1", "--openapi", "shop.yaml", "--header", "X-Key=${KEY}")).status,
    ).toBe(0);
    expect(parse(read()).openapi).toEqual({
      pets: { spec: "pets.yaml" },
      shop: { spec: "shop.yaml", baseUrl: "https://h/v1", headers: { "X-Key": "${KEY}" } },
    });
    expect((await cli("add", "a", "--openapi", "a.yaml")).err).toContain('has a server "a" already');
    await cli("add", "a", "--openapi", "a.yaml", "--force");
    expect([parse(read()).mcpServers, Object.keys(parse(read()).openapi)]).toEqual([undefined, ["pets", "shop", "a"]]);
    expect(read()).toMatch(/^# mine\n/);
    const { err } = await cli("add", "b", "--openapi", "b.yaml", "--header", "X-Key=1");
    expect(err).toContain("so that no document can say where it is sent");
    expect((await cli("add", "b", "--openapi", "b.yaml", "--", "npx")).err).toContain(
      "takes a document, and no command",
    );
    await cli("remove", "pets");
    expect(Object.keys(parse(read()).openapi)).toEqual(["shop", "a"]);
  });

  test("an address behind the name is a remote server: http, or sse if asked for, with headers", async () => {
    const { cli, read } = createProject();
    expect((await cli("add", "docs", "https://h/mcp")).status).toBe(0);
    expect((await cli("add", "old", "https://h/sse", "--type", "sse", "--header", "X-Team: core")).status).toBe(0);
    expect(parse(read()).mcpServers).toEqual({
      docs: { type: "http", url: "https://h/mcp" },
      old: { type: "sse", url: "https://h/sse", headers: { "X-Team": "core" } },
    });
  });

  test("a secret in an address is warned about", async () => {
    const { cli } = createProject();
    expect((await cli("add", "a", "https://me:pw@h/mcp")).err).toContain("looks like a secret (url)");
    expect((await cli("add", "b", "https://h/mcp?api_key=abc")).err).toContain("looks like a secret (url)");
    expect((await cli("add", "c", "https://h/mcp?api_key=${KEY}")).err).not.toContain("secret");
  });

  test("a secret in the open is written as asked, and warned about", async () => {
    const { err } = await createProject().cli("add", "gh", "--url", "https://h/mcp", "--header", "X-Api-Key=abc1234");
    expect(err).toContain("looks like a secret (X-Api-Key)");
  });

  test("refuses to replace a server, unless forced", async () => {
    const { cli, read } = createProject({ "toolcrib.yaml": "mcpServers:\n  a: { command: x }\n" });
    expect(await cli("add", "a", "--", "y")).toMatchObject({ status: 1, err: expect.stringContaining("--force") });
    expect(parse(read()).mcpServers.a.command).toBe("x");
    expect((await cli("add", "a", "--force", "--", "y")).status).toBe(0);
    expect(parse(read()).mcpServers.a.command).toBe("y");
  });

  test.each([
    [["add", "a"], "say how to reach it"],
    [["add", "a", "x"], 'put "--" in front'],
    [["add", "a", "--url", "https://h", "--", "x"], "in one way"],
    [["add", "a/b", "--", "x"], "name has letters"],
    [["add", "a", "--url", "ftp://h"], "http or https"],
    [["add", "a", "ftp://h/mcp"], "starts with http:// or https://"],
    [["add", "a", "https://"], "not a valid address"],
    [["add", "a", "host.test/mcp"], "toolcrib add a https://host.test/mcp"],
    [["add", "https://h/mcp"], "toolcrib add NAME https://h/mcp"],
    [["add", "a", "https://h/mcp", "--url", "https://h/mcp"], "leave --url out"],
    [["add", "a", "https://h/mcp", "b"], 'no use for "b"'],
    [["add", "a", "https://h/mcp", "--", "x"], "in one way"],
    [["add", "a", "https://h/mcp", "--env", "A=b"], "--header"],
    [["add", "a", "npx", "-y", "server"], "toolcrib add a -- npx -y"],
    [["add", "a", "--type", "sse", "--", "x"], "--type is for"],
    [["add", "a", "--env", "X", "--", "x"], "NAME=VALUE"],
  ])("wrong usage %j says what to write instead, and writes nothing", async (argv, said) => {
    const { cli, read } = createProject();
    expect(await cli(...argv)).toMatchObject({ status: 2, err: expect.stringContaining(said) });
    expect(read).toThrow("ENOENT");
  });

  test("a dry run writes nothing", async () => {
    const { cli, read } = createProject();
    expect((await cli("add", "a", "--dry-run", "--", "x")).out).toContain("+   a:");
    expect(read).toThrow("ENOENT");
  });

  test("a broken file is left as it is", async () => {
    const { cli, read } = createProject({ "toolcrib.yaml": "a: [\n" });
    expect((await cli("add", "a", "--", "x")).status).toBe(3);
    expect(read()).toBe("a: [\n");
  });

  test("as JSON it is one document", async () => {
    const { out } = await createProject().cli("add", "a", "--json", "--", "x");
    expect(JSON.parse(out)).toMatchObject({ file: "toolcrib.yaml", server: "a", action: "added", trust: "untrusted" });
  });
});

describe("remove", () => {
  test("takes the server out and shows the lines", async () => {
    const { cli, read } = createProject({
      "toolcrib.yaml": "mcpServers:\n  # one\n  a: { command: x }\n  b: { command: y }\n",
    });
    const { status, out } = await cli("remove", "a");
    expect([status, read()]).toEqual([0, "mcpServers:\n  b: { command: y }\n"]);
    expect(out).toContain("-   a: { command: x }");
  });

  test("an unknown name gets the nearest, and one of another file where to find it", async () => {
    const { cli } = createProject({
      "toolcrib.yaml": "mcpServers:\n  github: { command: x }\n",
      user: "mcpServers:\n  mine: { command: y }\n",
    });
    expect(await cli("remove", "githb")).toMatchObject({ status: 1, err: expect.stringContaining('"github"') });
    expect(await cli("remove", "mine")).toMatchObject({ status: 1, err: expect.stringContaining("--config") });
  });
});

describe("init", () => {
  const MCP = JSON.stringify({
    mcpServers: {
      gh: { url: "https://h/mcp", headers: { Authorization: "Bearer ghp_0123456789abcdef" } },
      odd: { command: "x", headersHelper: "y" },
    },
  });

  test("writes the file, says what it took, what it could not, and where the keys are", async () => {
    const { cli, read, writeHome } = createProject({ ".mcp.json": MCP });
    writeHome(".cursor/mcp.json", "{ broken");
    const { status, out } = await cli("init");
    expect(status).toBe(0);
    expect(out).toContain("server gh (.mcp.json:1)");
    expect(out).toContain("headersHelper of server");
    expect(out).toContain("the file (~/.cursor/mcp.json:1): it is not valid");
    expect(out).toContain("Put GH_TOKEN into ~/.config/toolcrib/keys/");
    expect(out).not.toContain("Set these in the environment");
    expect(out).toContain("toolcrib trust");
    expect(read() + out).not.toContain("ghp_");
  });

  test("adds what a file does not have, in whatever ending it is there, and changes nothing else", async () => {
    for (const file of ["toolcrib.yaml", "toolcrib.yml"]) {
      const { cli, read } = createProject({
        ".mcp.json": MCP,
        [file]: "agent: null # mine\nmcpServers:\n  odd: { command: z }\n",
      });
      const { status, out } = await cli("init");
      expect({ status, out }).toMatchObject({
        status: 0,
        out: expect.stringContaining(`Added to ${file} from .mcp.json:`),
      });
      expect(out).not.toContain("server odd (");
      expect(read(file)).toContain("agent: null # mine\nmcpServers:\n  odd: { command: z }\n  gh:\n");
    }
  });

  test("adds a server without the tools that another product excludes", async () => {
    const { cli, read, writeHome } = createProject({ "toolcrib.yaml": "excludeTools:\n  - web # mine\n" });
    writeHome(".gemini/settings.json", JSON.stringify({ mcpServers: { gem: { command: "g", excludeTools: ["b"] } } }));
    expect((await cli("init")).status).toBe(0);
    expect(read()).toContain("- web # mine\n  - gem/b\n");
    expect((await cli("init", "--dry-run", "--force")).out).toMatch(/[^\n]\n$/);
  });

  test("never overwrites without --force", async () => {
    const text = "mcpServers:\n  gh: { command: x }\n  odd: { command: y }\n";
    const { cli, read } = createProject({ ".mcp.json": MCP, "toolcrib.yaml": text });
    expect(await cli("init")).toMatchObject({ status: 1, err: expect.stringContaining("nothing new was found") });
    expect(read()).toBe(text);
    expect((await cli("init", "--force")).status).toBe(0);
    expect(read()).toContain("https://h/mcp");
  });

  test("takes nothing of the project into the person's own file, which counts everywhere without trust", async () => {
    const { cli, writeHome, home } = createProject({ ".mcp.json": MCP });
    writeHome(".claude.json", JSON.stringify({ mcpServers: { mine: { command: "m" } } }));
    const file = join(home, ".config", "toolcrib", "config.yaml");
    const { out } = await cli("init", "--config", file);
    expect(Object.keys(parse(readFileSync(file, "utf8")).mcpServers)).toEqual(["mine"]);
    expect(out).toContain('server "gh" (.mcp.json:1): it belongs to this project');
  });

  test("a dry run prints the file on stdout, the rest on stderr, and writes nothing", async () => {
    const { cli, read } = createProject({ ".mcp.json": MCP });
    const { out, err } = await cli("init", "--dry-run");
    expect(Object.keys(parse(out).mcpServers)).toEqual(["gh", "odd"]);
    expect(err).toContain("Not taken over:");
    expect(read).toThrow("ENOENT");
  });

  test("a dry run says that the file which is there would stand in the way", async () => {
    const text = "mcpServers:\n  gh: { command: x }\n  odd: { command: y }\n";
    const { cli } = createProject({ ".mcp.json": MCP, "toolcrib.yaml": text });
    const { err } = await cli("init", "--dry-run");
    expect(err).toContain("nothing would be written: toolcrib.yaml already exists");
    expect((await cli("init", "--dry-run", "--force")).err).not.toContain("already exists");
  });

  test("a file for JSON gets JSON", async () => {
    const { cli, read } = createProject({ ".mcp.json": MCP });
    expect((await cli("init", "--config", "tools.json")).status).toBe(0);
    expect(Object.keys(JSON.parse(read("tools.json")).mcpServers)).toEqual(["gh", "odd"]);
    const { cli: other, read: readOther } = createProject();
    await other("init", "--config", "toolcrib.json");
    expect(JSON.parse(readOther("toolcrib.json"))).toEqual({ mcpServers: {} });
  });

  test("as JSON it is one document with the same facts", async () => {
    const { out } = await createProject({ ".mcp.json": MCP }).cli("init", "--json");
    expect(JSON.parse(out)).toMatchObject({
      written: true,
      servers: [{ name: "gh" }, { name: "odd" }],
      notTaken: [{ what: 'headersHelper of server "odd"' }],
      variables: [{ name: "GH_TOKEN", isSet: true }],
      keys: { names: ["GH_TOKEN"] },
    });
  });

  test("what it writes is a configuration that loads", async () => {
    const { cli } = createProject({ ".mcp.json": MCP });
    await cli("init");
    expect((await cli("config", "--json")).status).toBe(0);
    expect((await createProject().cli("init")).out).toContain("Found no file of another product here");
  });
});

test("init says what it has found beside a file to which it adds servers alone", async () => {
  const machine = createMachine({
    "toolcrib.yaml": "excludeTools: [web]\n",
    "config.yaml": "tool_search: { enabled: true }\ntool_groups: [{ name: web }]\n",
  });
  const { status, err } = await runCli(["init"], { cwd: machine.cwd, env: { HOME: machine.home } });
  expect(status).not.toBe(0);
  expect(err).toContain("init adds only servers to it, and no new one was found: toolSearch would stay out");
});
