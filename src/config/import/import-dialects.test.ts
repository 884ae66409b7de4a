import { expect, test } from "vitest";
import { importFiles } from "../../../test/support/import-files.ts";

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: that is how a reference is written.
const CODEX = `model = "gpt-5"
[mcp_servers.files]
command = "npx"
args = ["-y", "server", "$\{LITERAL}"]
env_vars = ["LANG", { name = "CI", source = "local" }]
startup_timeout_sec = 20
tool_timeout_sec = 1.5
enabled_tools = ["read", "list"]
disabled_tools = ["list"]
default_tools_approval_mode = "auto"

[mcp_servers.files.env]
GITHUB_TOKEN = "ghp_abcdefghijklmnop1234"
MODE = "fast"

[mcp_servers."remote docs"]
url = "https://docs.test/mcp"
bearer_token_env_var = "DOCS_TOKEN"
http_headers = { "X-Team" = "core" }
env_http_headers = { "X-Key" = "DOCS_KEY" }
enabled = false
`;

test("Codex: servers of its TOML with times, tools, variables and headers, and no secret", async () => {
  const { value, left, text, variables, settings } = await importFiles({ "~/.codex/config.toml": CODEX });
  expect(value.mcpServers).toEqual({
    files: {
      command: "npx",
      args: ["-y", "server", "$${LITERAL}"],
      env: { LANG: "${LANG:-}", CI: "${CI:-}", GITHUB_TOKEN: "${GITHUB_TOKEN}", MODE: "fast" },
      tools: ["read", "list"],
      timeout: 1500,
      startTimeout: 20_000,
    },
    "remote docs": {
      type: "http",
      url: "https://docs.test/mcp",
      headers: {
        Authorization: "Bearer ${DOCS_TOKEN}",
        "X-Key": "${DOCS_KEY}",
        "X-Team": "${REMOTE_DOCS_X_TEAM}",
      },
      enabled: false,
    },
  });
  expect(value.excludeTools).toEqual(["files/list"]);
  expect(settings).toHaveLength(1);
  expect(text).toContain("# from ~/.codex/config.toml:2\n");
  expect(text).toContain("# from ~/.codex/config.toml:16\n");
  expect(text).not.toContain("ghp_");
  expect(variables.map(({ name }) => name)).toEqual(expect.arrayContaining(["DOCS_TOKEN", "DOCS_KEY"]));
  expect(left).toEqual([expect.stringContaining('default_tools_approval_mode of server "files"')]);
});

test("Codex: a file that is no TOML is reported with its line, and keeps no other from being read", async () => {
  const { value, left } = await importFiles({
    "~/.codex/config.toml": "model = 1\n[mcp_servers.a\n",
    "~/.cursor/mcp.json": { mcpServers: { b: { command: "x" } } },
  });
  expect(value.mcpServers).toEqual({ b: { command: "x" } });
  expect(left).toEqual([expect.stringMatching(/^the file \(~\/\.codex\/config\.toml:\d\): it is not valid: /)]);
});

test("Windsurf: serverUrl, variables, and tools that are turned off", async () => {
  const { value, left } = await importFiles({
    "~/.codeium/windsurf/mcp_config.json": {
      mcpServers: {
        docs: { serverUrl: "https://docs.test/mcp", headers: { Authorization: "Bearer ${env:DOCS_TOKEN}" } },
        old: { serverUrl: "https://old.test/sse" },
        git: { command: "uvx", args: ["git"], disabled: true, disabledTools: ["push"], alwaysAllow: ["log"] },
      },
    },
  });
  expect(value.mcpServers).toEqual({
    docs: { type: "http", url: "https://docs.test/mcp", headers: { Authorization: "Bearer ${DOCS_TOKEN}" } },
    old: { type: "sse", url: "https://old.test/sse" },
    git: { command: "uvx", args: ["git"], enabled: false },
  });
  expect(value.excludeTools).toEqual(["git/push"]);
  expect(left).toEqual([expect.stringContaining('alwaysAllow of server "git"')]);
});

test("Gemini CLI: httpUrl is HTTP and url is SSE, lists of tools, $NAME, servers that it leaves alone, no trust", async () => {
  const { value, left } = await importFiles({
    "~/.gemini/settings.json": {
      theme: "Dracula",
      mcp: { excluded: ["off"] },
      mcpServers: {
        http: { httpUrl: "https://h.test/mcp", url: "https://h.test/sse", timeout: 5000, trust: false },
        sse: { url: "https://s.test/sse" },
        typed: { url: "https://t.test/mcp", type: "http" },
        local: {
          command: "node",
          args: ["server.mjs"],
          env: { API_KEY: "$MY_KEY", PLACE: "${WHERE}" },
          trust: true,
          includeTools: ["a", "b"],
          excludeTools: ["b"],
        },
        off: { command: "x" },
      },
    },
  });
  expect(value.mcpServers).toEqual({
    http: { type: "http", url: "https://h.test/mcp", timeout: 5000 },
    sse: { type: "sse", url: "https://s.test/sse" },
    typed: { type: "http", url: "https://t.test/mcp" },
    local: {
      command: "node",
      args: ["server.mjs"],
      env: { API_KEY: "${MY_KEY}", PLACE: "${WHERE}" },
      tools: ["a", "b"],
    },
    off: { command: "x", enabled: false },
  });
  expect(value.excludeTools).toEqual(["local/b"]);
  expect(left.join("\n")).toContain('trust of server "local"');
  expect(left.join("\n")).toContain("write local/* into permissions.allow");
  expect(left.join("\n")).toContain('the start of server "off"');
  expect(left.join("\n")).not.toContain('trust of server "http"');
});

test("files of a project are found too", async () => {
  const { value } = await importFiles({
    ".codex/config.toml": '[mcp_servers.a]\ncommand = "x"\n',
    ".gemini/settings.json": { mcpServers: { b: { command: "y" } } },
  });
  expect(value.mcpServers).toEqual({ a: { command: "x" }, b: { command: "y" } });
});

test("Continue: servers of its YAML, where each says its name, and of JSON among them; Junie: its file", async () => {
  const { value, left, variables } = await importFiles({
    "~/.continue/config.yaml": `name: mine
models: []
mcpServers:
  - name: search
    command: npx
    args: [-y, server, --token, "\${{ secrets.SEARCH_TOKEN }}", "\${LITERAL}"]
    connectionTimeout: 5000
  - name: far
    type: streamable-http
    url: https://h/mcp
    requestOptions:
      headers: { X-Key: "\${{ secrets.KEY }}" }
  - { name: hub, command: h, args: ["\${{ inputs.A }}"] }
  - { command: nameless }
`,
    ".continue/mcpServers/block.yaml": "name: B\nmcpServers:\n  - { name: block, command: b }\n",
    ".continue/mcpServers/mcp.json": { mcpServers: { plain: { command: "p" }, toolcrib: { command: "toolcrib" } } },
    ".junie/mcp/mcp.json": { mcpServers: { j: { command: "j", env: { A: "1" } } } },
  });
  expect(value.mcpServers).toEqual({
    plain: { command: "p" },
    block: { command: "b" },
    j: { command: "j", env: { A: "1" } },
    search: { command: "npx", args: ["-y", "server", "--token", "${SEARCH_TOKEN}", "$${LITERAL}"], startTimeout: 5000 },
    far: { type: "http", url: "https://h/mcp", headers: { "X-Key": "${KEY}" } },
  });
  expect(variables.map(({ name }) => name)).toEqual(["SEARCH_TOKEN", "KEY"]);
  expect(left).toEqual([
    expect.stringContaining("it is Toolcrib itself"),
    expect.stringContaining("${{ inputs.A }} means nothing outside Continue"),
    expect.stringContaining("it has no name"),
  ]);
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: that is how a reference is written.

test("opencode: the command is a list, {env:NAME}, an environment and remote servers", async () => {
  const { value, left } = await importFiles({
    "opencode.json": {
      mcp: {
        a: {
          type: "local",
          command: ["npx", "-y", "${X}"],
          environment: { K: "{env:MY_K}" },
          enabled: false,
          timeout: 7000,
        },
        b: { type: "remote", url: "https://h/mcp", headers: { "X-Key": "{env:KEY}" } },
        c: { type: "local", command: ["x", "{file:key.txt}"] },
        d: { type: "local", command: ["toolcrib", "connect"] },
      },
    },
  });
  expect(value.mcpServers).toEqual({
    a: {
      command: "npx",
      args: ["-y", "$${X}"],
      env: { K: "${MY_K}" },
      startTimeout: 7000,
      enabled: false,
    },
    b: { type: "http", url: "https://h/mcp", headers: { "X-Key": "${KEY}" } },
  });
  expect(left).toEqual([
    expect.stringContaining("{file:key.txt} means nothing outside opencode"),
    expect.stringContaining("it is Toolcrib itself"),
  ]);
});

test("Zed: servers of its settings, in the older form too; Cline: times are in seconds; Qwen Code: as Gemini CLI", async () => {
  const cline = "~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
  const { value, left } = await importFiles({
    "~/.config/zed/settings.json": {
      theme: "One",
      context_servers: {
        z: { command: "z", args: ["1"], env: {} },
        old: { source: "custom", command: { path: "o", args: ["2"], env: { A: "1" } } },
      },
    },
    [cline]: { mcpServers: { c: { command: "c", timeout: 60, autoApprove: ["t"], disabled: true } } },
    ".qwen/settings.json": {
      mcpServers: { q: { httpUrl: "https://h/mcp" }, no: { command: "n" } },
      mcp: { excluded: ["no"] },
    },
  });
  expect(value.mcpServers).toEqual({
    q: { type: "http", url: "https://h/mcp" },
    no: { command: "n", enabled: false },
    z: { command: "z", args: ["1"] },
    old: { command: "o", args: ["2"], env: { A: "1" } },
    c: { command: "c", timeout: 60_000, enabled: false },
  });
  expect(left.map((line) => line.split(" (")[0])).toEqual(['the start of server "no"', 'autoApprove of server "c"']);
});
