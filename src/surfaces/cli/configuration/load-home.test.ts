import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { loadHome } from "./load-home.ts";

async function envOf(written: Readonly<Record<string, string>>, env: Readonly<Record<string, string>>) {
  const { home, input } = createWorkspace();
  const server = { command: "x", args: [], env: written };
  writeFileSync(join(home, ".claude.json"), JSON.stringify({ mcpServers: { a: server } }));
  const found = (await loadHome(input({}, env))).config?.servers.get("a");
  return found?.transport.type === "stdio"
    ? { env: Object.fromEntries(found.transport.env), unset: found.unset }
    : null;
}

test.each([
  [{}, "s3cret-default"],
  [{ MY_KEY: "mine" }, "mine"],
])("a secret that stands in for a variable counts where the variable is not set: %j", async (env, expected) => {
  expect(await envOf({ API_KEY: "${MY_KEY:-s3cret-default}" }, env)).toEqual({ env: { API_KEY: expected }, unset: [] });
});

test("references beside a secret are those of the file's author", async () => {
  const dsn = { DSN: "postgres://me:s3cret@${DB_HOST}/db" };
  expect(await envOf(dsn, { DB_HOST: "h" })).toEqual({ env: { DSN: "postgres://me:s3cret@h/db" }, unset: [] });
  expect((await envOf(dsn, {}))?.unset).toEqual(["DSN"]);
});

test("servers of Codex, Windsurf and Gemini CLI count too, and the tools that were taken away there stay away", async () => {
  const { home, input } = createWorkspace();
  const put = (folder: string, file: string, text: string): void => {
    mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, folder, file), text);
  };
  put(".codex", "config.toml", '[mcp_servers.a]\ncommand = "x"\n');
  put(".codeium/windsurf", "mcp_config.json", '{"mcpServers":{"b":{"serverUrl":"https://b.test/mcp"}}}');
  put(".gemini", "settings.json", '{"mcpServers":{"c":{"httpUrl":"https://c.test/mcp","excludeTools":["drop"]}}}');
  const { config, files } = await loadHome(input({}, {}));
  expect([...(config?.servers.keys() ?? [])].sort()).toEqual(["a", "b", "c"]);
  expect(config?.excludeTools.value.map(({ value }) => value)).toEqual(["c/drop"]);
  expect(files).toEqual(["~/.codex/config.toml", "~/.codeium/windsurf/mcp_config.json", "~/.gemini/settings.json"]);
});
