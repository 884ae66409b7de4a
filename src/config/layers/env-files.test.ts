import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { loadConfig, trustWorkspace } from "../load-config.ts";
import { fileReaders } from "./readers.ts";

const SERVER = "mcpServers:\n  it: { command: node, envFile: .env, env: { B: entry } }\n";

async function loadWith(env: string, project = SERVER) {
  const workspace = createWorkspace({ "toolcrib.yaml": project, ".env": env });
  await trustWorkspace(workspace.input());
  return workspace.load();
}

function envOf(config: Awaited<ReturnType<typeof loadConfig>>, server = "it") {
  const transport = config.servers.get(server)?.transport;
  return transport?.type === "stdio" ? Object.fromEntries(transport.env) : null;
}

test("an envFile is read as people write such files, and what the entry says itself beats it", async () => {
  const config = await loadWith(
    `# comment\nA=1\nexport B="file"\nC='a b' # more\nD="two\nlines"\nGITHUB_TOKEN=ghp_x\nE=\${A}\n`,
  );
  expect(envOf(config)).toEqual({
    ...{ A: "1", B: "entry", C: "a b", D: "two\nlines", GITHUB_TOKEN: "ghp_x" },
    E: "${A}",
  });
  expect(config.notices).toEqual([]);
});

test.each([
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "DYLD_INSERT_LIBRARIES",
  "PATH",
  "Path",
  "NODE_OPTIONS",
  "node_options",
  "PYTHONSTARTUP",
  "PYTHONPATH",
  "GIT_SSH_COMMAND",
  "GIT_CONFIG_COUNT",
  "BASH_ENV",
  "npm_config_registry",
  "UV_INDEX_URL",
  "JAVA_TOOL_OPTIONS",
  "RUBYOPT",
  "PERL5OPT",
  "HOME",
])("an envFile cannot set %s", async (name) => {
  const config = await loadWith(`A=1\n${name}=/tmp/evil\n`);
  expect(envOf(config)).toEqual({ A: "1", B: "entry" });
  expect(config.notices).toMatchObject([
    { level: "warning", code: "config.env-file", names: ["it", ".env"], origin: { file: "toolcrib.yaml", line: 2 } },
  ]);
  expect(config.notices[0]?.text).toContain(`sets ${name}, which can change what runs`);
  expect(config.notices[0]?.text).not.toContain("evil");
});

test("a link out of the workspace, a path out of it and a missing file are not read, and the server starts without", async () => {
  const workspace = createWorkspace({
    "toolcrib.yaml": `mcpServers:
  linked: { command: node, envFile: .env }
  inFolder: { command: node, envFile: sub/secrets.env }
  above: { command: node, envFile: ../secrets.env }
  absolute: { command: node, envFile: /etc/hostname }
  folder: { command: node, envFile: . }
  missing: { command: node, envFile: not-there.env }
  off: { command: node, envFile: not-there.env, enabled: false }
`,
  });
  writeFileSync(join(workspace.home, "secrets.env"), "STOLEN=1\n");
  symlinkSync(join(workspace.home, "secrets.env"), join(workspace.cwd, ".env"));
  symlinkSync(workspace.home, join(workspace.cwd, "sub"));
  await trustWorkspace(workspace.input());
  const config = await workspace.load();
  for (const name of ["linked", "inFolder", "above", "absolute", "folder", "missing"])
    expect(envOf(config, name)).toEqual({});
  expect(config.notices.map(({ names: [server] }) => server)).toEqual([
    ...["linked", "inFolder", "above", "absolute", "folder", "missing"],
  ]);
  expect(config.notices[0]?.text).toContain("it is not inside the workspace; the server starts without it");
  expect(config.notices[5]?.text).toContain("there is no such file");
});

test("a link inside the workspace is followed", async () => {
  const workspace = createWorkspace({ "toolcrib.yaml": SERVER, "config/dev.env": "A=1\n" });
  symlinkSync("config/dev.env", join(workspace.cwd, ".env"));
  await trustWorkspace(workspace.input());
  expect(envOf(await workspace.load())).toEqual({ A: "1", B: "entry" });
});

test("a file that is swapped for a link while it is read does not count", async () => {
  const workspace = createWorkspace({ "toolcrib.yaml": SERVER, "real/dev.env": "A=1\n" });
  symlinkSync("real/dev.env", join(workspace.cwd, ".env"));
  await trustWorkspace(workspace.input());
  mkdirSync(join(workspace.home, "elsewhere"));
  writeFileSync(join(workspace.home, "elsewhere/dev.env"), "STOLEN=1\n");
  let looks = 0;
  const readers = {
    ...fileReaders,
    async realPath(path: string) {
      if (!path.endsWith(".env")) return fileReaders.realPath(path);
      looks += 1;
      // The first look sees the file in its place, the second where somebody has put it meanwhile.
      return looks === 1 ? fileReaders.realPath(path) : join(workspace.home, "elsewhere/dev.env");
    },
  };
  const config = await loadConfig({ ...workspace.input(), readers });
  expect(envOf(config)).toEqual({ B: "entry" });
  expect(config.notices[0]?.text).toContain("not inside the workspace");
});

test("inheritEnv and envFile are part of what is trusted, and of how a server is started", async () => {
  const workspace = createWorkspace({ "toolcrib.yaml": "mcpServers: { it: { command: node } }" });
  await trustWorkspace(workspace.input());
  const before = await workspace.load();
  for (const more of ["inheritEnv: true", "inheritEnv: [GITHUB_TOKEN]", "envFile: .env"]) {
    workspace.write("toolcrib.yaml", `mcpServers: { it: { command: node, ${more} } }`);
    expect((await workspace.load()).servers.size).toBe(0);
    await trustWorkspace(workspace.input());
    const after = await workspace.load();
    expect(after.servers.get("it")?.launch).not.toBe(before.servers.get("it")?.launch);
  }
});
