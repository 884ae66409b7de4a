import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { GENEROUS, growth } from "../../../test/fixtures/cost.ts";
import { importFiles } from "../../../test/support/import-files.ts";
import { expandVariables } from "../../core/shape/expand-variables.ts";
import { convertReferences } from "./convert-references.ts";
import { createVariables, isLikelySecret, referAddress, referArguments } from "./refer-secrets.ts";

const of = (server: object, file = ".mcp.json") =>
  importFiles({ [file]: { mcpServers: { a: server, fine: { command: "x" } } } });

describe("a server that cannot be meant as it is written costs itself, and is told with its line", () => {
  test.each([
    [{ command: "" }, 3, "command must not be empty"],
    [{ command: ["npx", "-y"] }, 4, "command must be one text"],
    [{ command: "x", args: "-y foo" }, 5, "args must be a list of texts"],
    [{ command: "x", args: ["-y", null] }, 7, "argument 2 is not text"],
    [{ command: "x", args: [{ a: 1 }] }, 6, "argument 1 is not text"],
    [{ command: "x", env: ["A=1"] }, 5, "env must be a map of texts"],
    [{ command: "x", env: { A: { b: 1 } } }, 6, "env.A must be one text"],
    [{ type: "ws", url: "ws://h/mcp" }, 3, 'its type is "ws", and only stdio, http and sse are there'],
    [{ type: "http", url: "unix:///run/mcp.sock" }, 3, "its url is not an http or https address"],
    [{ type: "http", command: "x" }, 3, "its type is http, which takes a url"],
    [{ type: "stdio", url: "https://h/mcp" }, 3, "its type is stdio, which takes a command"],
    [{ command: "x", cwd: "${SOMEWHERE}/a" }, 5, "its cwd has a variable, and folders take none here"],
    [{ command: "x", tools: [""] }, 3, "tools[0] must not be empty"],
  ])("%j", async (server, line, why) => {
    const { left, servers } = await of(server);
    expect(servers.map(({ name }) => name)).toEqual(["fine"]);
    expect(left).toEqual([expect.stringContaining(`server "a" (.mcp.json:${line}): `)]);
    expect(left[0]).toContain(why);
  });
});

describe("a setting that is not taken over is told, and the server is taken", () => {
  test.each([
    [{ command: "x", tools: "all" }, { command: "x" }, "tools", "it must be a list of names"],
    [{ command: "x", timeout: "30s" }, { command: "x" }, "timeout", "it must be a number above 0"],
    [{ command: "x", env: { A: null, B: "b" } }, { command: "x", env: { B: "b" } }, "env", "A has no value"],
    [{ command: "x", url: "https://h/mcp" }, { command: "x" }, "url", "it is started by its command"],
    [
      { type: "sse", url: "https://h/mcp", command: "x" },
      { type: "sse", url: "https://h/mcp" },
      "command",
      "it is reached by its url",
    ],
  ])("%j", async (server, entry, key, why) => {
    const { left, value } = await of(server);
    expect(value.mcpServers.a).toEqual(entry);
    expect(left).toEqual([expect.stringContaining(`${key} of server "a" (.mcp.json:`)]);
    expect(left[0]).toContain(why);
  });

  test("settings of single tools are told, and are no list of tools", async () => {
    const tools = { create_issue: { routing: { mode: "off" } } };
    const { left, value } = await of({ command: "x", tools }, "extensions_config.json");
    expect(value.mcpServers.a).toEqual({ command: "x" });
    expect(left).toEqual([expect.stringContaining("see toolOverrides")]);
  });

  test("what is empty or says what is so anyway is nothing to tell", async () => {
    const { left } = await of({ type: "stdio", command: "x", args: [], env: {}, headers: {}, tools: ["*"], url: null });
    expect(left).toEqual([]);
  });

  test("broken parts of a second are rounded up", async () => {
    expect((await of({ command: "x", timeout: 0.5 })).value.mcpServers.a).toEqual({ command: "x", timeout: 1 });
  });
});

describe("a client for logging in that somebody registered", () => {
  const url = "https://h/mcp";
  test.each([
    [{ oauth: { clientId: "id", callbackPort: 8080 } }, { clientId: "id", callbackPort: 8080 }, []],
    [
      { auth: { CLIENT_ID: "id", CLIENT_SECRET: "s3cret-value", scopes: ["read", "write"] } },
      { clientId: "id", clientSecret: "${A_CLIENT_SECRET}", scope: "read write" },
      [],
    ],
    [
      { oauth: { clientId: "${ID}", clientSecret: "${SECRET}", authServerMetadataUrl: "https://x" } },
      { clientId: "${ID}", clientSecret: "${SECRET}" },
      ['oauth of server "a" (.mcp.json:5): authServerMetadataUrl in it has no place here'],
    ],
    // Without a client there is nothing to take over but the advice.
    [
      { oauth: { grant_type: "client_credentials" } },
      undefined,
      [expect.stringContaining("log in with: toolcrib servers login a;")],
    ],
  ])("%j", async (login, oauth, told) => {
    const { value, left, text } = await of({ url, ...login });
    expect(value.mcpServers.a).toEqual({ type: "http", url, ...(oauth === undefined ? {} : { oauth }) });
    expect(left).toEqual(told);
    expect(text).not.toContain("s3cret");
  });
});

test("a server without a name is told and left out, and odd names are kept", async () => {
  const names = ["", "__proto__", "my server.v2", "a: b # c", "🦀"];
  const text = JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: "x" }])) });
  const { servers, left, text: written } = await importFiles({ ".mcp.json": text });
  expect(servers.map(({ name }) => name)).toEqual(names.slice(1));
  expect(left).toEqual(['server "" (.mcp.json:1): it has no name']);
  expect(Object.keys(parse(written).mcpServers)).toEqual(names.slice(1));
});

test("folders of VS Code's become folders", async () => {
  const server = (cwd: string) => ({ command: "x", cwd });
  const servers = { a: server("${workspaceFolder}/a"), b: server("${userHome}/b"), c: server("sub") };
  const { value } = await importFiles({ ".vscode/mcp.json": { servers } });
  expect(value.mcpServers).toEqual({ a: server("./a"), b: server("/home/me/b"), c: server("sub") });
});

describe("references with a default", () => {
  test.each([
    ["LOG", "${LOG_LEVEL:-info}"],
    ["CONFIG", "${XDG:-~}/app.json"],
    ["BASE_URL", "https://${HOST:-api.example.test}/v1"],
    ["ENDPOINT", "https://api.example.test/v1"],
    ["API_KEY", "${KEY:-}"],
    ["AREA", "${REGION}-${ZONE}"],
    ["SETTINGS", "./cfg.json"],
  ])("%s=%s stays as it is", async (name, text) => {
    const { value, variables } = await of({ command: "x", env: { [name]: text } });
    expect(value.mcpServers.a.env).toEqual({ [name]: text });
    // What has a default need not be set.
    const needed = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, needs]) => needs);
    expect(variables.map((variable) => variable.name)).toEqual(needed);
  });

  test("a secret that stands in for a variable goes, and the variable stays", async () => {
    const { value, variables, secrets, text } = await of({ command: "x", env: { API_KEY: "${MY_KEY:-s3cret-value}" } });
    expect(value.mcpServers.a.env).toEqual({ API_KEY: "${MY_KEY}" });
    expect(variables.map(({ name }) => name)).toEqual(["MY_KEY"]);
    expect(text).not.toContain("s3cret");
    // For anyone who uses the servers without writing anything: the variable still wins over it.
    expect(secrets.get("MY_KEY")).toBe("${MY_KEY:-s3cret-value}");
  });

  test("two secrets never stand in for one variable", async () => {
    const env = (text: string) => ({ command: "x", env: { API_KEY: text } });
    const { value } = await importFiles({
      ".mcp.json": { mcpServers: { a: env("${K:-one1}"), b: env("${K:-two2}") } },
    });
    expect(value.mcpServers.a.env).toEqual({ API_KEY: "${K}" });
    expect(value.mcpServers.b.env).toEqual({ API_KEY: "${API_KEY}" });
  });

  test("in headers too", async () => {
    const headers = { "X-Mode": "${MODE:-fast}", "X-Api-Key": "${KEY:-password}", Authorization: "Bearer ${T:-abc}" };
    const { value } = await of({ url: "https://h/mcp", headers });
    expect(value.mcpServers.a.headers).toEqual({
      "X-Mode": "${MODE:-fast}",
      "X-Api-Key": "${KEY}",
      Authorization: "Bearer ${A_TOKEN}",
    });
  });
});

test("variables of servers that are left out need not be set", async () => {
  const { variables } = await importFiles({
    ".vscode/mcp.json": {
      servers: { a: { command: "${command:pick}", env: { TOKEN: "${input:t}", OTHER: "s3cret" } } },
    },
    ".cursor/mcp.json": { mcpServers: { b: { command: "x", args: ["${env:USED}"] } } },
  });
  expect(variables.map(({ name }) => name)).toEqual(["USED"]);
});

describe("servers of .mcp.json that somebody told Claude Code not to start", () => {
  const MCP = { mcpServers: { a: { command: "x" }, b: { command: "y" } } };
  test.each([
    [".claude/settings.local.json", { disabledMcpjsonServers: ["a"] }],
    [".claude/settings.json", '{ // not this one\n "disabledMcpjsonServers": ["a"] }'],
    ["~/.claude/settings.json", { disabledMcpjsonServers: ["a"] }],
    ["~/.claude.json", { projects: { "/home/me/app": { disabledMcpjsonServers: ["a"] } } }],
  ])("stay off when %s says so, and that is told", async (file, settings) => {
    const { value, left } = await importFiles({ ".mcp.json": MCP, [file]: settings });
    expect(value.mcpServers).toEqual({ a: { command: "x", enabled: false }, b: { command: "y" } });
    expect(left).toEqual([expect.stringContaining('the start of server "a" (.mcp.json:3): disabledMcpjsonServers (')]);
  });

  test("settings that cannot be read are nobody's no", async () => {
    const { value } = await importFiles({ ".mcp.json": MCP, ".claude/settings.json": "{ nonsense: [" });
    expect(value.mcpServers).toEqual(MCP.mcpServers);
  });
});

test("servers that somebody switched off for this folder in Claude Code stay off", async () => {
  const { value, left } = await importFiles({
    "~/.claude.json": {
      mcpServers: { a: { command: "x" }, b: { command: "y" } },
      projects: { "/home/me/app": { disabledMcpServers: ["a"] }, "/other": { disabledMcpServers: ["b"] } },
    },
  });
  expect(value.mcpServers).toEqual({ a: { command: "x", enabled: false }, b: { command: "y" } });
  expect(left).toEqual([expect.stringContaining("disabledMcpServers (~/.claude.json:")]);
});

describe("a file for servers that has none where they are looked for says so", () => {
  const server = { command: "x" };
  test.each([
    [".mcp.json", { servers: { a: server } }, 2, 'servers stand under "mcpServers" in it, and it has only "servers"'],
    [".cursor/mcp.json", { a: server }, 2, 'servers stand under "mcpServers" in it, and it has only "a"'],
    [".vscode/mcp.json", { inputs: [], a: server }, 3, 'servers stand under "servers" in it, and it has only "a"'],
    [".mcp.json", { mcpServers: [server] }, 2, '"mcpServers" must be a map of servers'],
  ])("%s with %j", async (file, content, line, why) => {
    const { left } = await importFiles({ [file]: content });
    expect(left).toEqual([`the file (${file}:${line}): ${why}`]);
  });

  test.each([
    [".mcp.json", {}],
    [".mcp.json", { mcpServers: null }],
    [".vscode/mcp.json", { servers: {}, inputs: [] }],
    [".vscode/mcp.json", { mcpServers: {} }],
    ["~/.claude.json", { projects: {} }],
    ["extensions_config.json", { skills: {} }],
  ])("but not %s with %j", async (file, content) => {
    expect((await importFiles({ [file]: content })).left).toEqual([]);
  });
});

test("somebody else's config.yaml may be as broken as it likes", async () => {
  expect((await importFiles({ "config.yaml": "title: [\n  broken" })).left).toEqual([]);
  expect((await importFiles({ "config.yaml": "tools:\n  - [\n" })).left).toEqual([
    expect.stringContaining("the file (config.yaml:"),
  ]);
});

test.each(["a", "1", "${", "${A:-", "$", "{", "}", "://", "a:", "-", "=", "?a=", "A1"])(
  "a setting made of %j alone costs no more than its length",
  async (part) => {
    const cost = (length: number) => {
      const text = part.repeat(length);
      const variables = createVariables();
      const inputs = { asked: new Map(), folderName: "f", home: "/h" };
      return () => {
        const { text: converted } = convertReferences(text, "vscode", inputs, variables);
        expandVariables(converted, {});
        referArguments([converted, `--token=${converted}`], "o", createVariables());
        isLikelySecret("X", converted);
        referAddress(`https://h/${converted}`, "o", createVariables());
      };
    };
    expect(growth(8_000, cost)).toBeLessThan(GENEROUS);
  },
);
