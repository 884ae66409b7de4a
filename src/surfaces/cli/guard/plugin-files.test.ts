import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";

const PLUGINS = fileURLToPath(new URL("../../../../plugins/", import.meta.url));

/** For each client: where it keeps the plugin, the file there, and the event of a call to the plugin's server. */
const CLIENTS = {
  "claude-code": {
    at: ".claude/plugins/cache/toolcrib/toolcrib/0.1.0/.mcp.json",
    from: "claude-code/.mcp.json",
    event: (tool: string) => ({ tool_name: `mcp__plugin_toolcrib_toolcrib__${tool}`, tool_input: {} }),
  },
  codex: {
    at: ".codex/plugins/cache/toolcrib/toolcrib/0.1.0/.mcp.json",
    from: "codex/.mcp.json",
    event: (tool: string) => ({ tool_name: `mcp__toolcrib__${tool}`, tool_input: {} }),
  },
  "gemini-cli": {
    at: ".gemini/extensions/toolcrib/gemini-extension.json",
    from: "gemini-cli/gemini-extension.json",
    event: (tool: string) => ({
      tool_name: `mcp_toolcrib_${tool}`,
      tool_input: {},
      mcp_context: { server_name: "toolcrib", tool_name: tool },
    }),
  },
  "copilot-cli": {
    at: ".copilot/installed-plugins/toolcrib/toolcrib/.mcp.json",
    from: "copilot-cli/.mcp.json",
    event: (tool: string) => ({ toolName: `toolcrib-${tool}`, toolArgs: {} }),
  },
} as const;
type Client = keyof typeof CLIENTS;

function createHome() {
  const { cwd, home, write } = createMachine();
  const own = (file: string, text: string): void => {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), text);
  };
  own("bin/toolcrib", "#!/bin/sh\n");
  chmodSync(join(home, "bin/toolcrib"), 0o755);
  const env = { HOME: home, PATH: join(home, "bin") };
  const call = async (client: Client, tool: string): Promise<number> => {
    const own = CLIENTS[client].event(tool);
    const event = client === "gemini-cli" ? "BeforeTool" : "PreToolUse";
    const given =
      client === "copilot-cli"
        ? { sessionId: "s", timestamp: 1, cwd, ...own }
        : { session_id: "s", cwd, hook_event_name: event, ...own };
    const { status } = await runCli(["hook", client], { cwd, env, stdin: JSON.stringify(given) });
    expect(status).toBe(0);
    const { out } = await runCli(["audit", "--json"], { cwd, env });
    return out.split("\n").filter((line) => line.includes('"call.judged"')).length;
  };
  return { cwd, env, write, own, call };
}

describe.each(Object.keys(CLIENTS) as Client[])("a call to the server of the plugin of %s", (client) => {
  const { at, from } = CLIENTS[client];

  test("is the gateway's to judge and to log", async () => {
    const { own, call } = createHome();
    own(at, readFileSync(join(PLUGINS, from), "utf8"));
    expect(await call(client, "github__create_issue")).toBe(0);
  });

  test("is judged and logged where another program has the plugin's place, or nothing has", async () => {
    const { own, call } = createHome();
    expect(await call(client, "a")).toBe(1);
    own(at, readFileSync(join(PLUGINS, from), "utf8").replace('"command": "toolcrib"', '"command": "/opt/other"'));
    expect(await call(client, "b")).toBe(2);
  });
});

test("a plugin that Copilot CLI reads where its catalog lies counts too", async () => {
  const { own, call } = createHome();
  const folder = dirname(dirname(join(PLUGINS, "x")));
  own(".copilot/settings.json", JSON.stringify({ extraKnownMarketplaces: { toolcrib: { source: { path: folder } } } }));
  expect(await call("copilot-cli", "a")).toBe(0);
});

test("guard install says where a client has the hook of the plugin already", async () => {
  const { own, cwd, env } = createHome();
  const install = () => runCli(["guard", "install", "gemini-cli", "codex"], { cwd, env });
  expect((await install()).out).not.toContain("plugin");
  own(CLIENTS["gemini-cli"].at, "{}");
  expect((await install()).out).toContain("Gemini CLI has the hook of Toolcrib's plugin too");
  expect((await install()).out).not.toContain("Codex has the hook");
});

test("a repository's server with the name of the plugin's is judged and logged", async () => {
  const { own, write, call } = createHome();
  own(CLIENTS["claude-code"].at, readFileSync(join(PLUGINS, "claude-code/.mcp.json"), "utf8"));
  write(".mcp.json", JSON.stringify({ mcpServers: { plugin_toolcrib_toolcrib: { command: "/opt/other" } } }));
  expect(await call("claude-code", "a")).toBe(1);
});
