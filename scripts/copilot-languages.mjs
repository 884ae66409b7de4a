// The weather app in Go, Java and Rust, each built with the client that its registry has published. One whose tools are not
// there, or whose client cannot be had, is left out by name; one that does not build is a failure.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const APPS = fileURLToPath(new URL("../examples/copilot", import.meta.url));
const CACHE = fileURLToPath(new URL("../node_modules/.cache/copilot-apps", import.meta.url));
/** Rust's crates keep a machine busy for minutes, which others in the same run need. */
const IS_PATIENT = process.argv.includes("--patient");
/** Minutes for one step. */
const MINUTES = IS_PATIENT ? 20 : 3;

/** @typedef {{ name: string, needs: string[][], fetch: string[], build: string[], run: string[], isSlow?: true, env?: Record<string, string> }} App */

/** @returns {App[]} what each app needs, and the commands that fetch its client, build it and run it, in its folder */
function listApps() {
  const [jars, classes] = [join(CACHE, "jars"), join(CACHE, "classes")];
  const program = join(CACHE, "weather-go");
  return [
    {
      name: "go",
      needs: [["go", "version"]],
      fetch: ["go", "mod", "download"],
      build: ["go", "build", "-mod=readonly", "-o", program, "."],
      run: [program],
    },
    {
      name: "java",
      needs: [
        ["javac", "--version"],
        ["mvn", "--version"],
      ],
      fetch: ["mvn", "-q", "-B", "-ntp", "dependency:copy-dependencies", `-DoutputDirectory=${jars}`],
      build: ["javac", "-cp", join(jars, "*"), "-d", classes, join("src", "main", "java", "Weather.java")],
      run: ["java", "-cp", [classes, join(jars, "*")].join(delimiter), "Weather"],
    },
    {
      name: "rust",
      isSlow: true,
      needs: [["cargo", "--version"]],
      fetch: ["cargo", "fetch", "--locked"],
      build: ["cargo", "build", "--locked", "--quiet"],
      run: [join(CACHE, "rust", "debug", "weather")],
      // Without GitHub's own runtime, which the crate would fetch to run it.
      env: { CARGO_TARGET_DIR: join(CACHE, "rust"), CARGO_PROFILE_DEV_DEBUG: "0", COPILOT_SKIP_CLI_DOWNLOAD: "1" },
    },
  ];
}

/**
 * Builds the app of each language and hands those that can run to `runApp`.
 * @param {(name: string, command: string, args: readonly string[], script: string) => boolean} runApp
 * @returns {boolean[]} whether each app that was not left out ran
 */
export function runLanguages(runApp) {
  mkdirSync(CACHE, { recursive: true });
  return listApps().flatMap((app) => {
    const name = `weather in ${app.name}`;
    const missing = app.needs.find(([command = "", ...args]) => spawnSync(command, args).status !== 0)?.[0];
    if (missing !== undefined) return leaveOut(name, `there is no ${missing}`);
    if (app.isSlow && !IS_PATIENT) return leaveOut(name, "it takes minutes to build; --patient builds it");
    const fetched = runStep(app, app.fetch);
    if (fetched.status !== 0) return leaveOut(name, `its client cannot be had: ${lastLine(fetched)}`);
    const built = runStep(app, app.build);
    if (isTooSlow(built)) return leaveOut(name, `it is not built after ${MINUTES} minutes; --patient gives it 20`);
    if (built.status !== 0) {
      process.stdout.write(`${name}: does not build\n${built.stdout ?? ""}${built.stderr ?? ""}\n`);
      return [false];
    }
    const [command = "", ...args] = app.run;
    return [runApp(name, command, args, join(APPS, "weather.script.json"))];
  });
}

/**
 * @param {App} app
 * @param {readonly string[]} step
 */
function runStep(app, [command = "", ...args]) {
  const cwd = join(APPS, app.name);
  return spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...app.env },
    encoding: "utf8",
    timeout: MINUTES * 60_000,
  });
}

/** @param {{ error?: Error | undefined }} done */
function isTooSlow({ error }) {
  return error !== undefined && "code" in error && error.code === "ETIMEDOUT";
}

/** @param {{ stdout: string | null, stderr: string | null, error?: Error | undefined }} done */
function lastLine({ stdout, stderr, error }) {
  return error?.message ?? `${stdout ?? ""}${stderr ?? ""}`.trimEnd().split("\n").at(-1)?.trim() ?? "";
}

/**
 * @param {string} name
 * @param {string} reason
 * @returns {[]}
 */
function leaveOut(name, reason) {
  process.stderr.write(`copilot clients: ${name} is left out: ${reason}\n`);
  return [];
}
