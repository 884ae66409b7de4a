// What somebody sees who clones this and types `npm start`: the MCP Inspector's command line lists and uses what the
// embedded default offers, over HTTP and over stdio, in both protocol eras. How long that takes is printed.
// TOOLCRIB_NO_CONFORMANCE=1 leaves it out; where no registry answers it says so.
import { deepStrictEqual, match, ok } from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findNode, installOutside } from "./outside-packages.mjs";
import { ensureReady } from "./setup.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const INSPECTOR = { name: "@modelcontextprotocol/inspector", version: "2.12.0" };
/** Its own dependencies are ranges, so what they mean is held at one day. */
const INSTALL_OPTIONS = ["--omit=optional", "--before=2026-11-01"];
const ERAS = ["legacy", "modern"];
/** The promise of `npm start`; a busy machine may break it, so that is said and fails nothing. */
const READY_MS = 10_000;
/** How long one command may take before it counts as hung. */
const PATIENCE_MS = 180_000;
/** Servers that are still starting may be missing from a list, so it is asked for again for this long. */
const STARTING_MS = 30_000;

/** @typedef {{ status: number | null, out: string, err: string }} Finished */
/** @typedef {(args: readonly string[]) => Promise<Finished>} Ask one request of the Inspector's command line */

process.exitCode = await main().catch((error) => {
  process.stderr.write(`mcp-inspector: ${error instanceof Error ? error.message : error}\n`);
  return 1;
});

async function main() {
  if (process.env.TOOLCRIB_NO_CONFORMANCE === "1") {
    process.stderr.write("mcp-inspector: left out, as TOOLCRIB_NO_CONFORMANCE=1 says\n");
    return 0;
  }
  if (!ensureReady(ROOT)) return 1;
  const node = findNode(22, 19);
  const packages = node && installOutside("mcp-inspector", [`${INSPECTOR.name}@${INSPECTOR.version}`], INSTALL_OPTIONS);
  if (node === null || packages === null) {
    process.stderr.write("mcp-inspector: SKIPPED, as it needs a registry and none answered\n");
    return 0;
  }
  const place = mkdtempSync(join(tmpdir(), "toolcrib-inspector-"));
  const workspace = join(place, "workspace");
  for (const folder of ["home", "workspace"]) mkdirSync(join(place, folder));
  writeFileSync(join(workspace, "notes.txt"), "hello from a file\n");
  const env = emptyHome(join(place, "home"));
  /** @type {(era: string, target: readonly string[]) => Ask} */
  const inspector = (era, target) => {
    const program = join(packages, INSPECTOR.name, "clients", "launcher", "build", "index.js");
    const fixed = [program, "--cli", "--format", "json", "--stored-auth-only", "--protocol-era", era];
    return (args) => run(node, [...fixed, ...args, ...target], { cwd: workspace, env });
  };
  try {
    await checkHttp(place, env, inspector);
    for (const era of ERAS) {
      const served = [
        "--transport",
        "stdio",
        "--",
        process.execPath,
        join(ROOT, "bin", "toolcrib.js"),
        "serve",
        "--stdio",
      ];
      await checkEverything(
        inspector(era, served),
        ["--tool-name", "view", "--tool-arg", "path=notes.txt"],
        /hello from a file/,
      );
      process.stdout.write(`stdio, ${era} era: the Inspector lists and uses tools, resources and prompts\n`);
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  return 0;
}

/**
 * @param {string} place
 * @param {NodeJS.ProcessEnv} env
 * @param {(era: string, target: readonly string[]) => Ask} inspector
 */
async function checkHttp(place, env, inspector) {
  const { checkout, started } = await startFresh(place, env, inspector);
  try {
    for (const era of ERAS) {
      const ask = inspector(era, endpointOf(started));
      await checkEverything(ask, ["--tool-name", "sample__time_in", "--tool-arg", "zone=UTC"], /"offset":"\+00:00"/);
      process.stdout.write(`HTTP, ${era} era: the Inspector lists and uses tools, resources and prompts\n`);
      const stranger = await inspector(era, ["--transport", "http", "--server-url", started.endpoint])([
        "--method",
        "tools/list",
      ]);
      deepStrictEqual(
        [stranger.status === 0, stranger.out],
        [false, ""],
        "it listed tools to somebody without a token",
      );
      match(stranger.err, /auth_required/);
    }
    const page = await fetch(started.inspector, { signal: AbortSignal.timeout(PATIENCE_MS) });
    match(await page.text(), /<title>[^<]*Toolcrib/i);
  } finally {
    await started.end();
    rmSync(checkout, { recursive: true, force: true });
  }
}

/**
 * `npm start` in a copy that was just installed and never built, up to the first list of tools that a client has.
 * @param {string} place
 * @param {NodeJS.ProcessEnv} env
 * @param {(era: string, target: readonly string[]) => Ask} inspector
 */
async function startFresh(place, env, inspector) {
  const checkout = copyCheckout(join(place, "checkout"));
  const from = performance.now();
  const started = await npmStart(checkout, env);
  try {
    const listed = await inspector("legacy", endpointOf(started))(["--method", "tools/list"]);
    const took = performance.now() - from;
    deepStrictEqual([listed.status, listed.err], [0, ""]);
    ok(toolNames(listed).includes("view"));
    const seconds = (/** @type {number} */ ms) => `${(ms / 1000).toFixed(1)} s`;
    const verdict = took <= READY_MS ? "within" : "NOT within";
    process.stdout.write(
      `npm start after the install step: endpoint after ${seconds(started.readyAt - from)}, tools listed by the Inspector after ${seconds(took)}, ${verdict} ${seconds(READY_MS)}\n`,
    );
    return { checkout, started };
  } catch (error) {
    await started.end();
    throw error;
  }
}

/**
 * The files that git has or would take, as a clone has them, and what was installed here.
 * @param {string} to
 */
function copyCheckout(to) {
  const listed = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (listed.status !== 0) throw new Error(`git ls-files: ${listed.stderr || listed.error?.message}`);
  for (const path of listed.stdout.split("\0"))
    if (path !== "" && existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(to, path), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(to, "node_modules"), "junction");
  return to;
}

/**
 * @param {string} checkout
 * @param {NodeJS.ProcessEnv} env
 */
async function npmStart(checkout, env) {
  const args = ["start", "--silent", "--", "--json", "--port", "0"];
  // A group of its own, so that nothing of it is left whatever npm does with a signal.
  const child = spawn("npm", args, { cwd: checkout, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(child, "close");
  let [out, err] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text) => {
    err += text;
  });
  /** @type {{ pid: number, endpoint: string, inspector: string, token: string }} */
  const document = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => killGroup(child.pid), PATIENCE_MS);
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
      if (!out.includes("\n")) return;
      clearTimeout(timer);
      resolve(JSON.parse(out.slice(0, out.indexOf("\n"))));
    });
    child.once("error", reject);
    child.once("close", (status) => reject(new Error(`npm start ended with ${status}:\n${out}${err}`)));
  });
  return {
    ...document,
    readyAt: performance.now(),
    /** As Ctrl-C does; what has not ended by then is ended. */
    async end() {
      const timer = setTimeout(() => killGroup(child.pid), PATIENCE_MS);
      if (child.exitCode === null) process.kill(document.pid, "SIGINT");
      await closed;
      clearTimeout(timer);
    },
  };
}

/** @param {{ endpoint: string, token: string }} started */
function endpointOf({ endpoint, token }) {
  return ["--transport", "http", "--server-url", endpoint, "--header", `Authorization: Bearer ${token}`];
}

/**
 * @param {Ask} ask
 * @param {readonly string[]} call
 * @param {RegExp} answer
 */
async function checkEverything(ask, call, answer) {
  // --strict makes the Inspector fail on schemas that some client could not take.
  const tools = await until(() => ask(["--method", "tools/list", "--strict"]), /"sample__time_in"/);
  const names = toolNames(tools);
  for (const name of ["glob", "grep", "view", "sample__time_in"])
    ok(names.includes(name), `${name} is not in ${names}`);
  ok(!names.includes("create"), "the default shows a tool that writes");
  match((await until(() => ask(["--method", "tools/call", ...call]), answer)).out, answer);
  const unknown = await ask(["--method", "tools/call", "--tool-name", "no_such_tool"]);
  ok(unknown.status !== 0, "a call of a tool that is not there succeeded");
  await until(() => ask(["--method", "resources/list"]), /"sample:\/\/guide"/);
  await until(() => ask(["--method", "resources/read", "--uri", "sample://guide"]), /What this is/);
  await until(() => ask(["--method", "prompts/list"]), /"sample__plan_meeting"/);
  const prompt = ["--prompt-name", "sample__plan_meeting", "--prompt-args", "here=UTC", "there=Asia/Tokyo"];
  await until(() => ask(["--method", "prompts/get", ...prompt]), /I am in UTC/);
}

/**
 * Asks until the answer fits; one that never does is shown.
 * @param {() => Promise<Finished>} ask
 * @param {RegExp} pattern
 */
async function until(ask, pattern) {
  for (const deadline = performance.now() + STARTING_MS; ; ) {
    const finished = await ask();
    if (finished.status === 0 && pattern.test(finished.out)) return finished;
    if (performance.now() > deadline)
      throw new Error(`${pattern} is not in the answer:\n${JSON.stringify(finished, null, 2)}`);
  }
}

/**
 * @param {Finished} finished
 * @returns {string[]}
 */
function toolNames({ out }) {
  return JSON.parse(out).result.tools.map((/** @type {{ name: string }} */ { name }) => name);
}

/**
 * The environment of somebody who has configured nothing.
 * @param {string} home
 * @returns {NodeJS.ProcessEnv}
 */
function emptyHome(home) {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:TOOLCRIB_|XDG_|COPILOT_|MCP_|npm_)/i.test(name));
  return { ...Object.fromEntries(kept), HOME: home, USERPROFILE: home, npm_config_update_notifier: "false" };
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} options
 * @returns {Promise<Finished>}
 */
function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const timer = setTimeout(() => killGroup(child.pid), PATIENCE_MS);
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => {
      out += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      err += text;
    });
    child.once("error", reject);
    child.once("close", (status) => {
      clearTimeout(timer);
      resolve({ status, out, err });
    });
  });
}

/** @param {number | undefined} pid */
function killGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
