import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { openWith } from "../claude-settings/settings-session.ts";
import { needs } from "../support/machine.ts";
import { createMachine, runCli } from "../support/run-cli.ts";

/** A workspace that its user trusts, and the command line in it. */
async function trusted(files: Readonly<Record<string, string>>) {
  const machine = createMachine(files);
  const { cwd, home } = machine;
  const env = { HOME: home, PATH: process.env.PATH ?? "" };
  for (const name of Object.keys(files)) if (name.endsWith(".sh")) chmodSync(join(cwd, name), 0o755);
  chmodSync(home, 0o755);
  const run = (...argv: readonly string[]) => runCli(argv, { cwd, env });
  const call = (tool: string, args: object, ...more: readonly string[]) =>
    run("call", tool, ...more, "--args", JSON.stringify(args));
  await run("trust", "--yes");
  return { ...machine, run, call, at: (name: string) => join(cwd, name), mark: join(home, "pwned") };
}

const script = (mark: string, more = ""): string => `#!/bin/bash\n${more}touch ${mark}\n`;

test("to edit the script of a hook asks in accept-edits, and the reason names the entry", async () => {
  const { call, at, mark } = await trusted({
    "mark.sh": "#!/bin/bash\ntrue\n",
    "toolcrib.yaml": 'hooks:\n  preToolUse: [{ matcher: "think", command: "./mark.sh" }]\n',
  });
  const edit = { path: "mark.sh", old_str: "true", new_str: `touch ${mark}` };
  const { status, out, err } = await call("edit", edit, "--mode", "accept-edits");
  expect(status).not.toBe(0);
  expect(out + err).toContain("mark.sh is run outside the sandbox by hook ./mark.sh (toolcrib.yaml:2)");
  expect(readFileSync(at("mark.sh"), "utf8")).toContain("true");
  expect((await call("think", { thought: "x" })).status).toBe(0);
  expect(existsSync(mark)).toBe(false);
});

test("a guard whose script changed refuses what it covers, until the change is trusted", async () => {
  const { call, run, at, mark } = await trusted({
    "mark.sh": "#!/bin/bash\ntrue\n",
    "toolcrib.yaml": 'hooks:\n  preToolUse: [{ matcher: "think", command: "./mark.sh", onFailure: continue }]\n',
  });
  writeFileSync(at("mark.sh"), script(mark));
  const refused = await call("think", { thought: "x" });
  expect(refused.status).not.toBe(0);
  expect(refused.out + refused.err).toContain("mark.sh changed since it was trusted");
  expect(existsSync(mark)).toBe(false);
  const shown = await run("trust", "--json", "--yes");
  expect(JSON.parse(shown.out).items).toContainEqual(
    expect.objectContaining({ what: "program file", name: "mark.sh", standing: "trusted" }),
  );
  expect((await call("think", { thought: "x" })).status).toBe(0);
  expect(existsSync(mark)).toBe(true);
});

test("trust shows a changed file with the entry that runs it, and one that is gone can be let go", async () => {
  const { run, call, at } = await trusted({
    "opt.sh": "#!/bin/bash\ntrue\n",
    "toolcrib.yaml": 'hooks:\n  preToolUse: [{ matcher: "think", command: "[ ! -f ./opt.sh ] || ./opt.sh" }]\n',
  });
  writeFileSync(at("opt.sh"), "#!/bin/bash\nfalse\n");
  const { out, err } = await run("trust");
  expect(out + err).toMatch(/program file: opt\.sh \(toolcrib\.yaml:2\) {2}\[changed\]\n +run by: hook \[ ! -f/);
  rmSync(at("opt.sh"));
  const gone = await call("think", { thought: "x" });
  expect(gone.out + gone.err).toContain("opt.sh is gone since it was trusted");
  expect((await run("trust", "--yes")).out).toContain("now: not there");
  expect((await call("think", { thought: "x" })).status).toBe(0);
  writeFileSync(at("opt.sh"), "#!/bin/bash\nfalse\n");
  expect((await call("think", { thought: "x" })).status).not.toBe(0);
});

test("the hook of the call that wrote its script does not run it", needs("bwrap", "bash"), async () => {
  const { call, at, mark } = await trusted({
    "toolcrib.yaml":
      'builtins: all\npermissions: { allow: ["Bash(*)", "Write(**)"] }\nhooks:\n  postToolUse:\n    - command: ./scripts/after.sh\n',
    "scripts/other.sh": "",
    "atk.sh": "",
  });
  const after = script(mark);
  writeFileSync(at("atk.sh"), `printf '%s' '${after}' > scripts/after.sh; chmod +x scripts/after.sh; echo over\n`);
  chmodSync(at("scripts"), 0o777);
  const { out } = await call("bash", { command: "bash atk.sh" }, "--yes");
  expect(out).toContain("over");
  expect(existsSync(at("scripts/after.sh"))).toBe(false);
  // A person who agrees to it writes it, and it still waits.
  await call("create", { path: "scripts/after.sh", content: after }, "--yes");
  expect(existsSync(at("scripts/after.sh"))).toBe(true);
  chmodSync(at("scripts/after.sh"), 0o755);
  const { err } = await call("think", { thought: "x" });
  expect(err).toContain("scripts/after.sh is not trusted yet");
  expect(existsSync(mark)).toBe(false);
});

const SERVER = (mark: string): string =>
  `require("fs").writeFileSync(${JSON.stringify(mark)}, "ran"); process.exit(1);`;

test.each([
  ["a file that is not built yet", { args: ["dist/server.js"] }, "dist/server.js"],
  ["a file without its ending", { args: ["./ext/server"] }, "ext/server.js"],
  ["a folder", { args: ["./srvdir"] }, "srvdir/index.js"],
  ["what a folder's package names", { args: ["./srvdir"] }, "srvdir/lib/main.js"],
  ["what a server loads", { args: ["server.js"] }, "lib/part.js"],
  [
    "a module of NODE_OPTIONS",
    { args: ["server.js"], env: { NODE_OPTIONS: "--require ./nodeopt/pre.js" } },
    "nodeopt/pre.js",
  ],
])("%s is not started as anything else than was trusted", needs("bwrap", "bash"), async (_, entry, file) => {
  const isBuilt = file !== "dist/server.js";
  const main = file === "srvdir/lib/main.js" ? { "srvdir/package.json": '{ "main": "./lib/main" }' } : {};
  const { call, run, at, mark } = await trusted({
    "toolcrib.json": JSON.stringify({ builtins: "all", mcpServers: { s: { command: "node", ...entry } } }),
    "server.js": 'require("./lib/part");',
    ...main,
    ...(isBuilt ? { [file]: "process.exit(1)" } : {}),
  });
  for (const folder of [".", dirname(file)]) if (existsSync(at(folder))) chmodSync(at(folder), 0o777);
  if (isBuilt) chmodSync(at(file), 0o666);
  const write = `mkdir -p ${dirname(file)}; echo '${SERVER(mark)}' > ${file}; echo over`;
  await call("bash", { command: write }, "--yes");
  if (isBuilt) expect(readFileSync(at(file), "utf8")).toBe("process.exit(1)");
  // However it got there: what nobody trusted is not started.
  mkdirSync(dirname(at(file)), { recursive: true });
  writeFileSync(at(file), SERVER(mark));
  const { out } = await run("servers", "--json");
  expect(out).toContain(isBuilt ? `${file} changed since it was trusted` : `${file} is not trusted yet`);
  expect(existsSync(mark)).toBe(false);
  await run("trust", "--yes");
  await run("servers");
  expect(existsSync(mark)).toBe(true);
});

test("a module, and what it imports, are loaded only as they were trusted", async () => {
  const { run, at, mark } = await trusted({
    "toolcrib.yaml": 'tools: [{ name: one, use: "./tools/one.mjs:one" }]\n',
    "tools/one.mjs": 'import { two } from "../lib/two.mjs";\nexport const one = two;\n',
    "lib/two.mjs": "export const two = null;\n",
  });
  writeFileSync(at("lib/two.mjs"), `import fs from "node:fs"; fs.writeFileSync(${JSON.stringify(mark)}, "x");\n`);
  for (const command of ["list", "doctor"]) {
    const { out, err } = await run(command);
    expect(out + err).toContain("lib/two.mjs changed since it was trusted");
  }
  expect(existsSync(mark)).toBe(false);
});

test("what a person configured for all their work runs nothing of a workspace that nobody trusted", async () => {
  const { call, run, write, mark } = await trusted({ "check.sh": "#!/bin/bash\ntrue\n" });
  write("user", 'hooks:\n  preToolUse: [{ matcher: "think", command: "./check.sh" }]\n');
  write("check.sh", script(mark));
  const { status, out, err } = await call("think", { thought: "x" });
  expect(status).not.toBe(0);
  expect(out + err).toContain("check.sh is not trusted yet");
  expect(existsSync(mark)).toBe(false);
  await run("trust", "--yes");
  expect((await call("think", { thought: "x" })).status).toBe(0);
});

test("links and dots lead file tools to the same file, and variables of a server are protected", async () => {
  const { call, at } = await trusted({
    "toolcrib.yaml":
      'hooks:\n  postToolUse: [{ command: "./real.sh" }]\nmcpServers: { s: { command: "true", envFile: .env, enabled: true } }\n',
    "real.sh": "#!/bin/bash\ntrue\n",
    "sub/x": "",
    ".env": "A=1\n",
  });
  symlinkSync("real.sh", at("alias"));
  for (const path of ["alias", "sub/../real.sh", at("real.sh")]) {
    const { err, out } = await call("edit", { path, old_str: "true", new_str: "id" }, "--mode", "accept-edits");
    expect(out + err).toContain("is run outside the sandbox by hook ./real.sh (toolcrib.yaml:2)");
  }
  const { out, err } = await call(
    "create",
    { path: ".env", content: "A=2", overwrite: true },
    "--mode",
    "accept-edits",
  );
  expect(out + err).toContain("sets variables of server s (toolcrib.yaml:3)");
});

test("a server that is started again by itself does not run what a command built", needs("bwrap", "bash"), async () => {
  const { session, cwd, home } = await openWith(
    { "toolcrib.json": { builtins: "all", mcpServers: { missing: { command: "node", args: ["dist/server.js"] } } } },
    { answer: () => ({ decision: "allow" }) },
  );
  const mark = join(home, "pwned");
  execFileSync("chmod", ["-R", "a+rwX", cwd]);
  const reason = () => session.sources.find(({ name }) => name === "missing")?.status.reason ?? "";
  await vi.waitFor(() => expect(reason()).toContain("dist/server.js is not there"), { timeout: 20_000 });
  await session.call("bash", { command: `mkdir -p dist; echo '${SERVER(mark)}' > dist/server.js` });
  expect(existsSync(join(cwd, "dist/server.js"))).toBe(true);
  await vi.waitFor(() => expect(reason()).toContain("dist/server.js is not trusted yet"), { timeout: 40_000 });
  expect(existsSync(mark)).toBe(false);
});

test(
  "commands cannot write installed packages that a server loads, nor its variables; caches stay open",
  needs("bwrap", "bash"),
  async () => {
    const { session, cwd, read } = await openWith(
      {
        "toolcrib.json": {
          builtins: "all",
          mcpServers: { s: { command: "node", args: ["server.cjs"], envFile: ".env" } },
        },
        "server.cjs": 'require("pkg");\n',
        "node_modules/pkg/index.js": "first\n",
        "node_modules/pkg/package.json": "{}",
        ".env": "A=1\n",
      },
      { answer: () => ({ decision: "allow" }) },
    );
    execFileSync("chmod", ["-R", "a+rwX", cwd]);
    const command =
      "for f in node_modules/pkg/index.js node_modules/new.js .env server.cjs; do echo second > $f; rm -f $f; done 2>/dev/null; mv node_modules n 2>/dev/null; mkdir -p node_modules/.cache/t && echo kept > node_modules/.cache/t/x; echo ran";
    expect(await session.call("bash", { command })).toMatchObject({ textResultForLlm: expect.stringContaining("ran") });
    expect([read("node_modules/pkg/index.js"), read(".env"), read("server.cjs")]).toEqual([
      "first\n",
      "A=1\n",
      'require("pkg");\n',
    ]);
    expect(existsSync(join(cwd, "node_modules/new.js"))).toBe(false);
    expect(read("node_modules/.cache/t/x")).toBe("kept\n");
    expect(existsSync(join(cwd, "node_modules/.vite"))).toBe(false);
  },
);
