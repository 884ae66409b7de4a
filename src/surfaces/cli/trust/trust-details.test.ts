import { describe, expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

/** A person who is asked for trust has to see what decides what runs, and nobody may see a secret. */
async function shown(files: Readonly<Record<string, string>>) {
  const { cwd, home } = createMachine(files);
  const cli = async (...argv: string[]) => (await runCli(argv, { cwd, env: { HOME: home } })).out;
  const text = await cli("trust", "--yes");
  return { text, json: await cli("trust", "--json"), cli };
}

const DECIDING: Readonly<Record<string, string>> = {
  NODE_OPTIONS: "--require ./evil.js",
  PATH: "./bin:/usr/bin",
  LD_PRELOAD: "./evil.so",
  npm_config_registry: "http://127.0.0.1:4873/",
  ESBUILD_BINARY_PATH: "./e2",
  PYTHONSTARTUP: "evil.py",
  MODE: "fast",
  PORT: "8080",
  // What a secret stands in, or who says it, is none.
  AWS_SHARED_CREDENTIALS_FILE: "evil",
  ANSIBLE_VAULT_PASSWORD_FILE: "./evil.sh",
  RESTIC_PASSWORD_COMMAND: "evil now",
  GIT_CONFIG_KEY_0: "core.fsmonitor",
  GIT_ASKPASS: "evil",
  LOGIN_TOKEN: "./evil.js",
};
const ENV = JSON.stringify(DECIDING);

const PLACES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a server": { "toolcrib.yaml": `mcpServers: { it: { command: node, env: ${ENV} } }` },
  "a server of an agent": {
    "toolcrib.yaml": `agents: [{ name: a, mcpServers: { it: { command: node, env: ${ENV} } } }]`,
  },
  "an agent file": { ".claude/agents/a.md": `---\nmcpServers: { it: { command: node, env: ${ENV} } }\n---\nGo.\n` },
  "an ACP agent": { "toolcrib.yaml": `agents: [{ name: a, acp: { command: node, env: ${ENV} } }]` },
  "an extension": { "toolcrib.yaml": `extensions: [{ name: it, command: node, env: ${ENV} }]` },
  "an extension that was found": {
    ".toolcrib/extensions/it/extension.json": `{ "command": "node", "args": ["it.mjs"], "env": ${ENV} }`,
  },
  "a hook": { "toolcrib.yaml": `hooks: { preToolUse: [{ command: ./x.sh, env: ${ENV} }] }` },
  "a hook of Copilot's": {
    ".github/hooks/h.json": `{ "version": 1, "hooks": { "preToolUse": [{ "bash": "x", "env": ${ENV} }] } }`,
  },
  "a plugin": {
    ".toolcrib/plugins/p/plugin.json": `{ "name": "p", "mcpServers": { "it": { "command": "node", "env": ${ENV} } } }`,
  },
};

test.each(Object.entries(PLACES))("the variables of %s are shown, as text and as JSON", async (_, files) => {
  const { text, json } = await shown(files);
  const rows = JSON.parse(json).items.flatMap((item: { details: object[] }) => item.details);
  for (const [name, value] of Object.entries(DECIDING)) {
    expect(text).toContain(`env.${name}: ${value}\n`);
    expect(rows).toContainEqual({ path: expect.stringMatching(new RegExp(`env\\.${name}$`)), value });
  }
});

const HEADERS =
  "{ X-Mode: fast, Host: evil.example, Authorization: Bearer canary-1, X-Api-Key: canary-2, Cookie: canary-3 }";
test.each([
  ["a server", `mcpServers: { it: { url: "https://example.com", headers: ${HEADERS} } }`],
  ["an API", `openapi: { it: { spec: ./a.yaml, baseUrl: "https://example.com", headers: ${HEADERS} } }`],
  ["a search engine", `search: { web: { url: "https://example.com/?q={query}", headers: ${HEADERS} } }`],
  ["a memory server", `memoryServer: { url: "https://example.com", headers: ${HEADERS} }`],
])("headers of %s are shown unless they are secrets", async (_, project) => {
  const { text, json } = await shown({ "toolcrib.yaml": project });
  for (const out of [text, json]) {
    expect(out).toMatch(/headers\.X-Mode"?[:,][^\n]*\s*[^\n]*fast/);
    expect(out).toContain("evil.example");
    expect(out).not.toContain("canary");
  }
});

describe("no secret is shown", () => {
  const SECRETS = `
mcpServers:
  it:
    command: node
    args: [--token, canary-1, "--api-key=canary-2", "https://u:canary-3@example.com/", ghp_canary4567890123456789012]
    env:
      API_KEY: canary-5
      GITHUB_TOKEN: canary-6
      DB_PASSWORD: 123456789
      DATABASE_URL: canary-8
      PLAIN: sk-canary901234567890123456
      NODE_OPTIONS: "--require ./evil.js --title=ghp_canary0123456789012345"
      ADDRESS: "https://example.com/?access_token=canary-11"
      FROM: "\${CANARY}"
  far: { url: "https://example.com/?api_key=canary-12", oauth: { clientId: id, clientSecret: canary-13 } }
openapi: { api: { spec: ./a.yaml, baseUrl: "https://example.com", auth: { scheme: canary-14 } } }
search: { embedder: { url: "http://127.0.0.1:1/v1", model: m, key: canary-15 } }
gateway: { token: canary-16, clients: [{ name: c, token: canary-17 }] }
hooks: { preToolUse: [{ command: ./x.sh, env: { SLACK_TOKEN: canary-18 } }] }
store: { url: "postgres://u:canary-19@example.com/db" }
`;

  test("by trust, and a command line cannot hide behind one", async () => {
    const { text, json } = await shown({ "toolcrib.yaml": SECRETS });
    for (const out of [text, json]) {
      expect(out).not.toMatch(/canary/);
      expect(out).not.toContain("123456789");
      expect(out).toContain("--require ./evil.js --title=***");
      expect(out).toContain("${CANARY}");
    }
  });

  test("and all other commands show no value of a variable or a header", async () => {
    const plain = SECRETS.replace("PLAIN: sk-", "PLAIN: ").replace("SLACK_TOKEN", "SLACK");
    const { cli } = await shown({ "toolcrib.yaml": plain });
    for (const argv of [["config"], ["config", "--json"], ["servers"], ["servers", "--json"], ["doctor"], ["snapshot"]])
      expect([argv, await cli(...argv)]).toEqual([argv, expect.not.stringMatching(/canary|evil/)]);
  });
});

test("what is empty is left out, and an empty list is one", async () => {
  const { text } = await shown({
    "toolcrib.yaml": `hooks: { preToolUse: [{ command: ./x.sh, env: {} }] }
mcpServers: { it: { command: node, env: {}, tools: [] } }`,
    ".github/hooks/h.json": '{ "version": 1, "hooks": { "preToolUse": [{ "bash": "y" }] } }',
  });
  expect(text).not.toContain("object");
  expect(text).not.toContain("env");
  expect(text).toContain("      tools: []\n");
});
