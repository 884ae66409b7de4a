import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { importFiles } from "../../../test/support/import-files.ts";

const CWD = "/home/me/app";

describe("where files are looked for", () => {
  test.each([
    [".mcp.json", "linux"],
    [".cursor/mcp.json", "linux"],
    ["extensions_config.json", "linux"],
    ["~/.claude.json", "linux"],
    ["~/.copilot/mcp-config.json", "linux"],
    ["~/.cursor/mcp.json", "linux"],
    ["~/.config/Claude/claude_desktop_config.json", "linux"],
    ["~/Library/Application Support/Claude/claude_desktop_config.json", "darwin"],
    ["~/AppData/Roaming/Claude/claude_desktop_config.json", "win32"],
  ] as const)("servers of %s on %s are taken over, and the file says from where", async (file, platform) => {
    const { value, text } = await importFiles(
      { [file]: { mcpServers: { a: { command: "x", args: ["-y"] } } } },
      platform,
    );
    expect(value.mcpServers).toEqual({ a: { command: "x", args: ["-y"] } });
    expect(text).toContain(`# from ${file}:3`);
  });

  test.each([
    ["~/.config/Code/User/mcp.json", "linux"],
    ["~/Library/Application Support/Code/User/mcp.json", "darwin"],
    ["~/AppData/Roaming/Code/User/mcp.json", "win32"],
  ] as const)("a person's own servers of VS Code are in %s on %s", async (file, platform) => {
    const { value } = await importFiles({ [file]: { servers: { a: { command: "x" } } } }, platform);
    expect(value.mcpServers).toEqual({ a: { command: "x" } });
  });

  test("tool sets that a person made in VS Code become toolsets", async () => {
    const folder = "~/.config/Code/User/prompts";
    const { value, left, text } = await importFiles({
      [`${folder}/mine.toolsets.jsonc`]:
        '{\n  // reads only\n  "reader": { "tools": ["search", "github/*"], "description": "d", "icon": "tag" },\n  "odd": {}, "none": { "tools": [] } }',
      [`${folder}/more.toolsets.jsonc`]: { writer: { tools: ["edit"] } },
      [`${folder}/other.prompt.md`]: "no tool sets",
    });
    expect(value).toEqual({ toolsets: { reader: ["search", "github/*"], none: [], writer: ["edit"] } });
    expect(left).toEqual([expect.stringContaining(`tool set "odd" (${folder}/mine.toolsets.jsonc:4)`)]);
    expect(text).toContain(`# from ${folder}/mine.toolsets.jsonc:3`);
  });

  test("folders with skills are taken over, the project's behind the person's, which they beat", async () => {
    const { value, files } = await importFiles({
      ".claude/skills/review/SKILL.md": "---\nname: review\n---\n",
      ".github/skills/README.md": "none here",
      "~/.claude/skills/mine/SKILL.md": "---\nname: mine\n---\n",
    });
    expect(value).toEqual({ skillDirectories: ["~/.claude/skills", ".claude/skills"] });
    expect(files).toEqual(["~/.claude/skills", ".claude/skills"]);
  });

  test("VS Code calls them servers", async () => {
    const { value } = await importFiles({ ".vscode/mcp.json": { servers: { a: { type: "stdio", command: "x" } } } });
    expect(value.mcpServers).toEqual({ a: { command: "x" } });
  });

  test("of Claude's own file, this project's servers and the person's own count", async () => {
    const mine = { [CWD]: { mcpServers: { a: { command: "x" } } }, "/other": { mcpServers: { c: { command: "z" } } } };
    const { servers } = await importFiles({
      "~/.claude.json": { projects: mine, mcpServers: { b: { command: "y" } } },
    });
    expect(servers.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  test("an entry that leads back to us is not taken over, and needs no variable", async () => {
    const { servers, left, variables } = await importFiles({
      ".mcp.json": {
        mcpServers: {
          toolcrib: { type: "http", url: "http://127.0.0.1:8787/mcp", headers: { Authorization: "Bearer x1y2z3" } },
          crib: { command: "npx", args: ["-y", "toolcrib@1.2.3", "serve", "--stdio"] },
          other: { command: "node", args: ["/src/toolcrib/bin/toolcrib.js", "serve", "--stdio"] },
          mine: { command: "node", args: ["/src/toolcrib-server/main.js", "--name", "not-toolcrib"] },
        },
      },
    });
    expect(servers.map(({ name }) => name)).toEqual(["mine"]);
    expect(left.map((line) => line.replace(/ \(.*/, ""))).toEqual([
      'server "toolcrib"',
      'server "crib"',
      'server "other"',
    ]);
    expect(variables).toEqual([]);
  });

  test("without any there is a file to start from", async () => {
    const { files, text } = await importFiles({});
    expect(files).toEqual([]);
    expect(text).toContain("# mcpServers:");
  });

  test("somebody else's config.yaml is none of our business", async () => {
    expect((await importFiles({ "config.yaml": "title: My blog\ntools: [hammer]\n" })).files).toEqual([]);
  });
});

describe("reading", () => {
  test("comments, trailing commas, tabs and a byte order mark do no harm", async () => {
    const text = `\ufeff{\n\t// ours\n\t"mcpServers": { /* one\n two */\n\t\t"a": { "command": "x", "args": ["//", "/*", ",]",], },\n\t},\n}`;
    expect((await importFiles({ ".mcp.json": text })).value.mcpServers).toEqual({
      a: { command: "x", args: ["//", "/*", ",]"] },
    });
  });

  test("a broken file is told with its line, and the others are read", async () => {
    const { left, servers } = await importFiles({
      ".mcp.json": '{\n  "mcpServers": {\n    "a": nonsense: [\n',
      ".vscode/mcp.json": { servers: { b: { command: "x" } } },
    });
    expect(left).toEqual([expect.stringMatching(/^the file \(\.mcp\.json:\d\): it is not valid/)]);
    expect(servers.map(({ name }) => name)).toEqual(["b"]);
  });

  test.each(["[]", '"text"', "12", '{"mcpServers": []}', '{"mcpServers": {"a": 1, "b": {}, "c": {"command": 3}}}', ""])(
    "odd content never ends in a crash: %s",
    async (text) => {
      await expect(importFiles({ ".mcp.json": text })).resolves.toBeDefined();
    },
  );

  test("a file with a long history is read quickly", async () => {
    const history = Array.from({ length: 40_000 }, (_, at) => ({ at, text: "x".repeat(50) }));
    const { servers } = await importFiles({ "~/.claude.json": { history, mcpServers: { a: { command: "x" } } } });
    expect(servers.length).toBe(1);
  });
});

describe("names that clash", () => {
  test("the project's counts, and the other is told", async () => {
    const { value, left } = await importFiles({
      ".mcp.json": { mcpServers: { a: { command: "x" } } },
      "~/.cursor/mcp.json": { mcpServers: { a: { command: "y" } } },
    });
    expect(value.mcpServers.a.command).toBe("x");
    expect(left).toEqual([expect.stringContaining('server "a" (~/.cursor/mcp.json:3): .mcp.json:3 has another')]);
  });

  test("the same server twice is one", async () => {
    const same = { mcpServers: { a: { command: "x" } } };
    const { left, servers } = await importFiles({ ".mcp.json": same, ".cursor/mcp.json": same });
    expect([left, servers.length]).toEqual([[], 1]);
  });
});

describe("references", () => {
  test("VS Code's inputs and variables become plain variables, with what they are for", async () => {
    const { value, variables } = await importFiles({
      ".vscode/mcp.json": {
        inputs: [{ id: "api-key", type: "promptString", description: "Key of the service" }],
        servers: {
          a: {
            command: "${workspaceFolder}/run",
            args: ["${userHome}/x", "${workspaceFolderBasename}"],
            env: { API_KEY: "${input:api-key}", OTHER: "${env:THERE}" },
          },
        },
      },
    });
    expect(value.mcpServers.a).toEqual({
      command: "./run",
      args: ["${HOME}/x", "app"],
      env: { API_KEY: "${API_KEY}", OTHER: "${THERE}" },
    });
    expect(variables).toEqual([
      { name: "API_KEY", about: "Key of the service" },
      { name: "THERE", about: null },
    ]);
  });

  test("what VS Code takes for an answer that nobody gives is the default, unless it is a password", async () => {
    const { value, variables } = await importFiles({
      ".vscode/mcp.json": {
        inputs: [
          { id: "stage", type: "pickString", options: ["dev", "prod"], default: "dev" },
          { id: "pin", type: "promptString", password: true, default: "0000" },
        ],
        servers: { a: { command: "x", args: ["--stage", "${input:stage}", "--pin", "${input:pin}"] } },
      },
    });
    expect(value.mcpServers.a.args).toEqual(["--stage", "${STAGE:-dev}", "--pin", "${PIN}"]);
    expect(variables.map(({ name }) => name)).toEqual(["PIN"]);
  });

  test("Claude's word for the folder of the project is that folder", async () => {
    const args = ["${CLAUDE_PROJECT_DIR}/srv.js", "${CLAUDE_PROJECT_DIR:-.}/b"];
    const { value, variables } = await importFiles({ ".mcp.json": { mcpServers: { a: { command: "node", args } } } });
    expect(value.mcpServers.a.args).toEqual(["./srv.js", "${CLAUDE_PROJECT_DIR:-.}/b"]);
    expect(variables).toEqual([]);
  });

  test("a file that is nested too deeply says so", async () => {
    const text = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    expect((await importFiles({ ".mcp.json": text })).left).toEqual([expect.stringContaining("nested too deeply")]);
  });

  test("what only VS Code can work out leaves the server out, with the reason", async () => {
    const { servers, left } = await importFiles({
      ".vscode/mcp.json": { servers: { a: { command: "${command:pick}" } } },
    });
    expect(servers).toEqual([]);
    expect(left[0]).toContain("${command:pick} means nothing outside VS Code");
  });

  test("DeerFlow's and Copilot's $NAME become ${NAME}", async () => {
    const mcpServers = { a: { command: "x", env: { TOKEN: "$MY_TOKEN" } } };
    for (const file of ["extensions_config.json", "~/.copilot/mcp-config.json"])
      expect((await importFiles({ [file]: { mcpServers } })).value.mcpServers.a.env).toEqual({ TOKEN: "${MY_TOKEN}" });
  });

  test("Claude's defaults stay, and Claude Desktop's text stays literal", async () => {
    const mcpServers = { a: { command: "x", args: ["${ROOT:-.}"] } };
    expect((await importFiles({ ".mcp.json": { mcpServers } })).value.mcpServers.a.args).toEqual(["${ROOT:-.}"]);
    const desktop = await importFiles({ "~/.config/Claude/claude_desktop_config.json": { mcpServers } });
    expect(desktop.value.mcpServers.a.args).toEqual(["$${ROOT:-.}"]);
  });
});

describe("settings of servers", () => {
  test("timeouts, tools, switches and transports carry over", async () => {
    const { value } = await importFiles({
      ".mcp.json": {
        mcpServers: {
          a: { type: "streamable-http", url: "https://h/mcp", timeout: 5000, tools: ["x"], alwaysLoad: true },
          b: { command: "x", disabled: true, tools: ["*"] },
          c: { type: "sse", url: "https://h/sse" },
        },
      },
      "extensions_config.json": { mcpServers: { d: { command: "x", enabled: false, tool_call_timeout: 30 } } },
    });
    expect(value.mcpServers).toEqual({
      a: { type: "http", url: "https://h/mcp", timeout: 5000, tools: ["x"], defer: "never" },
      b: { command: "x", enabled: false },
      c: { type: "sse", url: "https://h/sse" },
      d: { command: "x", enabled: false, timeout: 30_000 },
    });
  });

  test("what has no place here is told, each with why", async () => {
    const { left } = await importFiles({
      ".mcp.json": { mcpServers: { a: { command: "x", envFile: "${file}", oauth: {}, autoApprove: ["t"] }, b: {} } },
    });
    expect(left.map((line) => line.split(" (")[0])).toEqual([
      'envFile of server "a"',
      'oauth of server "a"',
      'autoApprove of server "a"',
      'server "b"',
    ]);
  });

  test("a file of variables is taken over, relative to the workspace", async () => {
    const { value, left } = await importFiles({
      ".vscode/mcp.json": { servers: { a: { command: "x", envFile: "${workspaceFolder}/.env" } } },
    });
    expect(value.mcpServers).toEqual({ a: { command: "x", envFile: ".env" } });
    expect(left).toEqual([]);
  });
});

describe("secrets", () => {
  const SECRET = fc.stringMatching(/^[A-Za-z0-9_-]{8,40}$/).filter((text) => /\d/.test(text) && !text.startsWith("-"));

  test("of environments, headers, options and addresses never reach the new file", async () => {
    await fc.assert(
      fc.asyncProperty(SECRET, async (secret) => {
        const { text, variables } = await importFiles({
          ".mcp.json": {
            mcpServers: {
              a: {
                command: "x",
                args: [
                  "--api-key",
                  secret,
                  `--token=${secret}`,
                  "-e",
                  `DB_PASSWORD=${secret}`,
                  `Authorization: Bearer ${secret}`,
                ],
                env: { API_KEY: secret, WHATEVER: `x${secret}y`, DSN: `postgres://u:${secret}@h/db` },
              },
              b: {
                type: "http",
                url: `https://u:${secret}@h/mcp?x=1`,
                headers: { Authorization: `Bearer ${secret}`, "X-Key": secret },
              },
              c: { type: "http", url: `https://h/mcp?api_key=${secret}` },
            },
          },
        });
        expect(text).not.toContain(secret);
        expect(variables.length).toBeGreaterThan(5);
      }),
      { numRuns: 100 },
    );
  });

  test("a reference is no secret, and the name of a scheme stays", async () => {
    const headers = { Authorization: "Bearer ${GH}", "X-Key": "abc" };
    const { value } = await importFiles({ ".mcp.json": { mcpServers: { a: { url: "https://h/mcp", headers } } } });
    expect(value.mcpServers.a.headers).toEqual({ Authorization: "Bearer ${GH}", "X-Key": "${A_X_KEY}" });
  });

  test("a variable that files refer to already is not given to another secret", async () => {
    const { value } = await importFiles({
      ".mcp.json": {
        mcpServers: {
          github: { url: "https://h/mcp", headers: { Authorization: "Bearer s3cret-one" } },
          gh: { command: "x", env: { GITHUB_TOKEN: "${GITHUB_TOKEN}" } },
        },
      },
    });
    expect(value.mcpServers.github.headers.Authorization).toBe("Bearer ${GITHUB_TOKEN_2}");
  });

  test("different values of one name get variables of their own", async () => {
    const server = (value: string) => ({ command: "x", env: { API_KEY: value } });
    const { value } = await importFiles({
      ".mcp.json": { mcpServers: { a: server("one1"), b: server("two2"), c: server("one1") } },
    });
    const names = Object.values<{ env: { API_KEY: string } }>(value.mcpServers).map(({ env }) => env.API_KEY);
    expect(names).toEqual(["${API_KEY}", "${B_API_KEY}", "${API_KEY}"]);
  });

  test("harmless values and package names stay readable", async () => {
    const entry = {
      command: "npx",
      args: [
        "-y",
        "@modelcontextprotocol/server-filesystem@2026.8.31",
        "--port",
        "8080",
        "https://h.example/mcp",
        "./some-long-folder-name-2026/src",
      ],
      env: { NODE_ENV: "production", DEBUG: "true", DATA_PATH: "/data/x.db", PORT: "8080" },
    };
    expect((await importFiles({ ".mcp.json": { mcpServers: { a: entry } } })).value.mcpServers.a).toEqual(entry);
  });
});
