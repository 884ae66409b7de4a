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
    `# comment\nA_KEY=1\nexport B="file"\nC_TOKEN='a b' # more\nD_SECRET="two\nlines"\nGITHUB_TOKEN=ghp_x\nE_PAT=\${A_KEY}\nLOG_LEVEL=debug\n`,
  );
  expect(envOf(config)).toEqual({
    ...{ A_KEY: "1", B: "entry", C_TOKEN: "a b", D_SECRET: "two\nlines", GITHUB_TOKEN: "ghp_x" },
    ...{ E_PAT: "${A_KEY}", LOG_LEVEL: "debug" },
  });
  expect(config.notices).toEqual([]);
});

test("what the entry does not list is left out, named, with what to do", async () => {
  const config = await loadWith("A_KEY=1\nJIRA_URL=https://evil.example\nNODE_OPTIONS=--require ./evil.js\n");
  expect(envOf(config)).toEqual({ A_KEY: "1", B: "entry" });
  expect(config.notices).toMatchObject([
    {
      ...{ level: "warning", code: "config.env-file", origin: { file: "toolcrib.yaml", line: 2 } },
      names: ["it", ".env", "JIRA_URL", "NODE_OPTIONS"],
      text: "server it: envFile .env (toolcrib.yaml:2) sets JIRA_URL, NODE_OPTIONS, which the entry does not list, so they are left out; add those that the server needs to its inheritEnv",
    },
  ]);
});

test("the names of a long file are all told to programs, and people read thirty of them", async () => {
  const names = Array.from({ length: 40 }, (_, at) => `APP_${at + 10}`);
  const [notice] = (await loadWith(names.map((name) => `${name}=1`).join("\n"))).notices;
  expect(notice?.names).toEqual(["it", ".env", ...names]);
  expect(notice?.text).toContain("APP_39 and 10 more, which the entry does not list");
});

test("an entry lists what it gets by inheritEnv, and by what its env refers to, from the environment first", async () => {
  const project = `mcpServers:
  it:
    command: node
    args: ["\${SERVER:-server.js}"]
    envFile: .env
    inheritEnv: [JIRA_URL, NODE_OPTIONS]
    env: { SITE: "https://\${SITE_NAME}/", WHERE: "\${HOME}", MODE: "\${MODE:-plain}", BOTH: "\${BOTH}" }
`;
  const file =
    "JIRA_URL=https://jira\nNODE_OPTIONS=--title=x\nSITE_NAME=a.example\nHOME=/evil\nBOTH=file\nOTHER=1\nSERVER=./evil.js\n";
  const workspace = createWorkspace({ "toolcrib.yaml": project, ".env": file });
  await trustWorkspace(workspace.input());
  const config = await workspace.load({}, { HOME: "/home/ada", BOTH: "mine" });
  expect(envOf(config)).toEqual({
    ...{ JIRA_URL: "https://jira", NODE_OPTIONS: "--title=x", SITE: "https://a.example/" },
    ...{ WHERE: "/home/ada", MODE: "plain", BOTH: "mine" },
  });
  expect(config.servers.get("it")?.transport).toMatchObject({ args: ["server.js"] });
  // Anyone who listed something has chosen, so the rest is no warning.
  expect(config.notices).toMatchObject([{ level: "info", names: ["it", ".env", "OTHER", "SERVER"] }]);
});

test("inheritEnv that is true is about the person's environment, and an empty list wants nothing more of the file", async () => {
  for (const inherit of ["true", "[]", "false"]) {
    const project = `mcpServers:\n  it: { command: node, envFile: .env, inheritEnv: ${inherit} }\n`;
    const config = await loadWith("NODE_OPTIONS=x\nA_TOKEN=1\n", project);
    expect(envOf(config)).toEqual({ A_TOKEN: "1" });
    expect(config.notices).toMatchObject([{ level: "info", names: ["it", ".env", "NODE_OPTIONS"] }]);
  }
});

test("a variable that neither the environment nor the file has keeps the server from starting, as before", async () => {
  const project = 'mcpServers: { it: { command: node, envFile: .env, env: { A: "${NOWHERE}" } } }';
  const config = await loadWith("B_KEY=1\n", project);
  expect(config.servers.get("it")?.unset).toEqual(["NOWHERE"]);
  expect(config.notices).toMatchObject([{ code: "config.variable-unset", names: ["it", "NOWHERE"] }]);
});

test("a person's own entry reads the same file, which is the workspace's, and gets no more of it", async () => {
  const workspace = createWorkspace({ user: SERVER, ".env": "NODE_OPTIONS=--require ./evil.js\nA_KEY=1\n" });
  const config = await workspace.load();
  expect(envOf(config)).toEqual({ A_KEY: "1", B: "entry" });
  expect(config.notices).toMatchObject([{ level: "warning", names: ["it", ".env", "NODE_OPTIONS"] }]);
});

test("so does the server of an agent", async () => {
  const project = "agents: [{ name: a, mcpServers: { it: { command: node, envFile: .env } } }]\nagent: a\n";
  const config = await loadWith("ESBUILD_BINARY_PATH=./e2\nA_KEY=1\n", project);
  const transport = config.agents.get("a")?.servers.get("it")?.transport;
  expect(transport?.type === "stdio" && Object.fromEntries(transport.env)).toEqual({ A_KEY: "1" });
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
  const workspace = createWorkspace({ "toolcrib.yaml": SERVER, "config/dev.env": "A_KEY=1\n" });
  symlinkSync("config/dev.env", join(workspace.cwd, ".env"));
  await trustWorkspace(workspace.input());
  expect(envOf(await workspace.load())).toEqual({ A_KEY: "1", B: "entry" });
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
