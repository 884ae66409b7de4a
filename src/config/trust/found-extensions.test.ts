import { chmodSync, existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { createMachine, runCli } from "../../../test/support/run-cli.ts";
import { wantedExtensions } from "../../runtime/session/sources/file-sources.ts";
import { toSetting } from "../../runtime/session/tools/setting.ts";
import { trustWorkspace } from "../load-config.ts";
import { hashContent } from "./found-extensions.ts";

const FILES = {
  ".toolcrib/extensions/a.mjs": "one",
  ".toolcrib/extensions/b/extension.json": '{"command":"node","args":["main.mjs"]}',
  ".toolcrib/extensions/b/lib/main.mjs": "two",
  ".toolcrib/extensions/notes.md": "",
};

test("found extensions alone can be trusted, and do not count because something else was", async () => {
  const workspace = createWorkspace({ "toolcrib.yaml": "mcpServers: { s: { command: x } }" });
  await trustWorkspace(workspace.input());
  for (const [path, text] of Object.entries(FILES)) workspace.write(path, text);
  const before = await workspace.load();
  expect(before.extensionFiles.size).toBe(0);
  expect([...before.servers.keys()]).toEqual(["s"]);
  expect(before.notices[0]?.text).toContain("extension a.mjs (.toolcrib/extensions/a.mjs), extension b (");
  await trustWorkspace(workspace.input(), ({ name }) => name === "a.mjs");
  expect([...(await workspace.load()).extensionFiles.keys()]).toEqual(["a.mjs"]);
  const alone = createWorkspace(FILES);
  await trustWorkspace(alone.input());
  const after = await alone.load();
  expect([...after.extensionFiles.keys()]).toEqual(["a.mjs", "b"]);
  expect(after.trust.state).toBe("trusted");
});

test.each([
  ["a script's text", ".toolcrib/extensions/a.mjs", "a.mjs"],
  ["a manifest", ".toolcrib/extensions/b/extension.json", "b"],
  ["a file further down", ".toolcrib/extensions/b/lib/main.mjs", "b"],
  ["a file that was not there", ".toolcrib/extensions/b/node_modules/x/index.js", "b"],
])("%s that changes after it was trusted waits again, and the other goes on", async (_, path, name) => {
  const workspace = createWorkspace(FILES);
  await trustWorkspace(workspace.input());
  workspace.write(path, '{"command":"evil"}');
  const config = await workspace.load();
  expect([...config.extensionFiles.keys()]).toEqual(["a.mjs", "b"].filter((other) => other !== name));
  expect(config.trust.items.find((item) => item.name === name)?.standing).toBe("changed");
});

test("what can be run counts, a link that leads out is no extension to trust, and neither is a linked script", async () => {
  const workspace = createWorkspace(FILES);
  const before = await hashContent(workspace.cwd, "b");
  chmodSync(join(workspace.cwd, ".toolcrib/extensions/b/lib/main.mjs"), 0o755);
  expect(await hashContent(workspace.cwd, "b")).not.toBe(before);
  symlinkSync(workspace.home, join(workspace.cwd, ".toolcrib/extensions/b/out"));
  symlinkSync(join(workspace.home, "x.mjs"), join(workspace.cwd, ".toolcrib/extensions/c.mjs"));
  const { notices, trust } = await workspace.load();
  expect(trust.items.map(({ name }) => name)).toEqual(["a.mjs"]);
  expect(notices).toMatchObject([{ code: "config.untrusted" }, { code: "extension.invalid", names: ["b"] }]);
});

const SCRIPT = `await import(${JSON.stringify(fileURLToPath(new URL("../../../test/fixtures/extension.mjs", import.meta.url)))});\n`;

test("a trusted script runs, and one that changed is named with its file and what to do", async () => {
  const { cwd, home } = createMachine({ ".toolcrib/extensions/it.mjs": SCRIPT });
  const cli = (...argv: string[]) => runCli(argv, { cwd, env: { HOME: home, PATH: process.env.PATH ?? "" } });
  expect((await cli("list", "--json")).out).not.toContain('"answer-twice"');
  expect((await cli("trust", "--yes")).out).toContain("extension: it.mjs (.toolcrib/extensions/it.mjs)");
  expect((await cli("list", "--json")).out).toContain('"answer-twice"');
  writeFileSync(join(cwd, ".toolcrib/extensions/it.mjs"), "process.exit(3)\n");
  const { out, err } = await cli("list");
  expect(out).not.toContain("answer-twice");
  expect(err).toMatch(/extension it\.mjs \(\.toolcrib\/extensions\/it\.mjs\)\. Run "toolcrib trust"/);
});

test("a script that is swapped between reading the configuration and its start is not started", async () => {
  const workspace = createWorkspace({ ".toolcrib/extensions/it.mjs": SCRIPT });
  await trustWorkspace(workspace.input());
  const config = await workspace.load();
  const place = {
    cwd: workspace.cwd,
    env: process.env,
    version: "0",
    home: workspace.home,
    workspace: workspace.cwd,
  };
  const logger = { error: () => {}, debug: () => {} };
  const { wanted } = await wantedExtensions(config, toSetting({ ...place, id: "s", logger }));
  const proof = join(workspace.home, "ran");
  workspace.write(".toolcrib/extensions/it.mjs", `require("fs").writeFileSync(${JSON.stringify(proof)}, "")`);
  const source = await wanted[0]?.open();
  try {
    await source?.list(AbortSignal.timeout(20_000));
    expect(source?.status).toMatchObject({
      state: "failed",
      reason: expect.stringContaining("its files changed since they were trusted"),
      next: expect.stringContaining("toolcrib trust"),
    });
    expect(existsSync(proof)).toBe(false);
  } finally {
    await source?.close();
  }
});
