import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { BIN, ensureBuilt, finish, ROOT, runBuilt, startCli } from "../support/built-cli.ts";
import { needs } from "../support/machine.ts";
import { createMachine, runCli } from "../support/run-cli.ts";

beforeAll(ensureBuilt, 120_000);

const WORLD = JSON.stringify({
  tools: [{ name: "view" }, { name: "edit" }, { name: "create_issue", source: "mcp", server: "github" }],
  options: { excludeTools: ["github/*"] },
});

describe("exit status", () => {
  test.each([
    [["list"], 0],
    [["why", "view"], 0],
    [["why", "github/create_issue"], 1],
    [["why", "nothing"], 1],
    [["diff", "base", "exclude=edit"], 0],
    [["snapshot"], 0],
    [["lst"], 2],
    [["list", "--wrld"], 2],
    [["list", "--include", "nothing"], 3],
    [["list", "--agent", "nobody"], 3],
  ])("%j ends with %i, with and without --json", async (argv, status) => {
    const line = [...argv, "--world", "-"];
    const shown = await runBuilt(line, { stdin: WORLD });
    expect(shown).toMatchObject({ status, signal: null });
    const asked = await runCli([...line, "--json"], { stdin: WORLD });
    expect(asked.status).toBe(status);
    expect(JSON.parse(asked.out)).toEqual(expect.any(Object));
    for (const { err } of [shown, asked]) expect(err).not.toContain("    at ");
  });
});

/** Runs a command in a terminal of its own. */
const TERMINAL = ["script"].join();
test("a terminal that does not know how wide it is gets lines of the usual width", needs("script"), () => {
  const { cwd, home, write } = createMachine();
  write("world.json", WORLD);
  const line = `stty cols 0 rows 0; '${process.execPath}' '${BIN}' list --world world.json`;
  const { stdout } = spawnSync(TERMINAL, ["-qec", line, "/dev/null"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, TERM: "xterm", NO_COLOR: "1" },
    encoding: "utf8",
  });
  expect(stdout).toContain("github/create_issue  mcp");
  expect(stdout).toContain('filter: excluded by "github/*"');
});

test("a folder that was removed, and an answer that finds no room, are told in words", () => {
  const { home } = createMachine();
  const shell = (line: string) =>
    spawnSync("sh", ["-c", line, process.execPath, BIN], {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home },
      encoding: "utf8",
    });
  const gone = shell('mkdir gone && cd gone && rmdir ../gone && "$0" "$1" list --json');
  expect([gone.status, JSON.parse(gone.stdout).error.text]).toEqual([
    2,
    expect.stringContaining("does not exist any more"),
  ]);
  expect(gone.stderr).not.toContain("    at ");
  if (!existsSync("/dev/full")) return;
  const full = shell('"$0" "$1" help > /dev/full');
  expect([full.status, full.stderr]).toEqual([
    1,
    expect.stringMatching(/^toolcrib: the answer cannot be written: .*\n$/),
  ]);
});

test("a configuration, a question, and its replay from a snapshot", async () => {
  const { cwd, home } = createMachine({ "toolcrib.yaml": "excludeTools:\n  - web\n" });
  const env = { HOME: home, XDG_CONFIG_HOME: "" };
  const why = await runBuilt(["why", "web_fetch"], { cwd, env });
  expect(why.status).toBe(1);
  expect(why.out).toContain("toolcrib.yaml:2");
  const snapshot = await runCli(["snapshot"], { cwd, env });
  const replayed = await runCli(["why", "web_fetch", "--world", "-"], { stdin: snapshot.out });
  expect(replayed.status).toBe(1);
});

test("trust without a terminal wants --yes, and with it lets the project start things", async () => {
  const { cwd, home } = createMachine({
    "toolcrib.yaml": "sandbox: { allowHostShell: true }\n",
    user: "sandbox: { shell: off }\n",
  });
  const options = { cwd, env: { HOME: home, XDG_CONFIG_HOME: "" } };
  expect(await runCli(["trust"], options)).toMatchObject({ status: 2 });
  expect(await runCli(["why", "bash"], options)).toMatchObject({ status: 1 });
  expect(await runCli(["trust", "--yes"], options)).toMatchObject({ status: 0, err: "" });
  expect(await runCli(["why", "bash"], options)).toMatchObject({ status: 0 });
});

test("a world of 10,000 tools comes out whole through a pipe", async () => {
  const tools = Array.from({ length: 10_000 }, (_, at) => ({
    name: `tool_${at}`,
    source: "mcp",
    server: `s${at % 50}`,
  }));
  const { status, out } = await runBuilt(["list", "--world", "-", "--json"], { stdin: JSON.stringify({ tools }) });
  expect(status).toBe(0);
  expect(JSON.parse(out).tools.length).toBe(10_001);
});

test("a reader that stops early ends it quietly", async () => {
  const tools = Array.from({ length: 20_000 }, (_, at) => ({ name: `tool_${at}` }));
  const child = startCli(["list", "--world", "-"]);
  child.stdin?.on("error", () => undefined).end(JSON.stringify({ tools }));
  const ended = finish(child);
  if (child.stdout) await once(child.stdout, "data");
  child.stdout?.destroy();
  const { status, err } = await ended;
  expect(status).toBe(0);
  expect(err).not.toMatch(/EPIPE|Error/);
});

test("Ctrl-C ends it at once, which shells report as 130", async () => {
  const child = startCli(["list", "--world", "-", "--log-level", "debug"]);
  const ended = finish(child);
  if (child.stderr) await once(child.stderr, "data");
  child.kill("SIGINT");
  expect((await ended).signal).toBe("SIGINT");
});

test("the version is the package's", async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect((await runBuilt(["--version"])).out).toBe(`${version}\n`);
});

test("the grammar is not optimized for one line, which a process would have to wait for", () => {
  const { cwd, home } = createMachine();
  const line = 'for file in *.txt; do grep -n "x y" "$file" | sort -u || echo none; done';
  const { stdout } = spawnSync(process.execPath, ["--trace-wasm-compilation-times", BIN, "check", "bash", line], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home },
    encoding: "utf8",
  });
  expect(stdout).toContain("using Liftoff");
  expect(stdout).not.toContain("using TurboFan");
});

test("what answers a question about a world is one file", () => {
  const text = readFileSync(join(ROOT, "dist", "command", "world.cjs"), "utf8");
  // Only with an option does it load others, by their part.
  const others = text.replaceAll(/require\("\.\/parts\.cjs"\)\.requirePart\(/g, "");
  expect([...others.matchAll(/require\("(\.[^"]*)"\)/g)].map(([, path]) => path)).toEqual(["./ask.cjs"]);
});

test("a question about a small world loads neither configuration nor a YAML parser", () => {
  const { cwd } = createMachine({ "w.json": WORLD });
  // Before it is bundled, because no trace says which files a bundle holds; bundling keeps apart what is loaded apart.
  const { href } = pathToFileURL(join(ROOT, "dist/surfaces/cli/main.js"));
  const code = `import { main } from ${JSON.stringify(href)}; await main(["list", "--world", "w.json"]);`;
  const traced = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, NODE_DEBUG: "esm" },
  });
  expect(traced.stderr).toMatch(/dist\/core\/toolset\//);
  expect(traced.stderr).not.toMatch(
    /(?:node_modules|packages)\/yaml|dist\/(?:config|sources|system(?!\/text)|runtime(?!\/report))\//,
  );
});
