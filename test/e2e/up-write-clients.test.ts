import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { newMachine, runHere } from "../support/running-up.ts";

/** What people have in these files, with comments and settings that mean nothing to us. */
const TEXTS = {
  "~/.codex/config.toml":
    'model = "m" # mine\n\n[mcp_servers.mine]\ncommand = "x"\n\n# about profiles\n[profiles.a]\nmodel = "n"\n',
  ".gemini/settings.json": '{\n  // mine\n  "theme": "dark",\n  "mcpServers": { "a": { "command": "x" } }\n}\n',
  "~/.copilot/mcp-config.json": '{ "mcpServers": {} }',
  "~/.codeium/windsurf/mcp_config.json": '{\n\t"mcpServers": {}\n}',
  "opencode.json": '{ "mcp": { "a": { "type": "local", "command": ["x"] } } }\n',
  ".qwen/settings.json": "{}\n",
  "~/.config/zed/settings.json": '// mine\n{ "theme": "One", }\n',
  ".continue/mcpServers/mcp.json": '{\n  "mcpServers": {}, // mine\n}\n',
  ".junie/mcp/mcp.json": '{ "mcpServers": { "a": { "command": "x" } } }',
  "~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json": '{ "mcpServers": {} }\n',
};

test("--write reaches clients whose file is TOML or the person's own, and --undo gives every byte back", async () => {
  const machine = newMachine({});
  const path = (file: string) => join(file.startsWith("~/") ? machine.home : machine.cwd, file.replace("~/", ""));
  const read = (file: string) => readFileSync(path(file), "utf8");
  for (const [file, text] of Object.entries(TEXTS)) {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), text);
  }
  onTestFinished(async () => void (await runHere(["down"], machine)));
  const { out } = await runHere(
    [
      "up",
      "--detach",
      "--port",
      "0",
      "--write",
      "codex,gemini,copilot,windsurf,opencode,qwen,zed,cline,continue,junie",
    ],
    machine,
  );
  expect(out).toContain("Wrote toolcrib connect into ~/.codex/config.toml.");
  expect(out).toContain("files of your own, so they count in every project");
  expect(read("~/.codex/config.toml").startsWith(TEXTS["~/.codex/config.toml"])).toBe(true);
  expect(read("~/.codex/config.toml")).toMatch(
    /\n\[mcp_servers\.toolcrib\]\ncommand = ".+"\nargs = \[.*"connect"\s*\]\n$/,
  );
  expect(read(".gemini/settings.json")).toContain('// mine\n  "theme": "dark"');
  const { command, args, ...more } = JSON.parse(read("~/.copilot/mcp-config.json")).mcpServers.toolcrib;
  expect([typeof command, args.at(-1), more]).toEqual(["string", "connect", { type: "local", tools: ["*"] }]);
  expect(read("~/.codeium/windsurf/mcp_config.json")).toContain('\n\t\t"toolcrib": {');
  const opencode = JSON.parse(read("opencode.json")).mcp.toolcrib;
  expect([opencode.type, opencode.enabled, opencode.command.at(-1)]).toEqual(["local", true, "connect"]);
  expect(read("~/.config/zed/settings.json")).toMatch(/^\/\/ mine\n\{ "theme": "One",\s+"context_servers"/);
  expect(read(".continue/mcpServers/mcp.json")).toMatch(/"toolcrib": \{[\s\S]*\/\/ mine/);
  expect(Object.keys(JSON.parse(read(".junie/mcp/mcp.json")).mcpServers)).toEqual(["a", "toolcrib"]);
  await runHere(["up", "--undo"], machine);
  expect(Object.keys(TEXTS).map(read)).toEqual(Object.values(TEXTS));
});
