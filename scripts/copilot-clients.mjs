// Runs the published clients of the Copilot SDK against this checkout: every version in the tables completes the same
// scenario, and the example apps run with the newest ones. TOOLCRIB_NO_CONFORMANCE=1 leaves it out, for machines without a
// registry; where there is no Python, the Python clients are left out with a word, and so are the apps in other languages
// that cannot be built here.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { runLanguages } from "./copilot-languages.mjs";
import { installOutside } from "./outside-packages.mjs";
import { ensureReady } from "./setup.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CLIENTS = join(ROOT, "test", "copilot", "clients");
const APPS = join(ROOT, "examples", "copilot");
/** The newest first. */
const NPM = ["1.0.14", "1.0.9", "0.3.0"];
const PYPI = ["1.0.27", "1.0.11", "0.3.0"];
const PATIENCE = 3 * 60_000;
/** Busy machines take their time over this. */
const INSTALL_PATIENCE = 10 * 60_000;

const HAS_PYTHON = spawnSync("python3", ["-c", "import venv, ensurepip"]).status === 0;

/** What each check is about. */
const AREAS = new Map([
  ["Sessions", ["create", "resume in a new process", "abort", "two clients on one session"]],
  ["Tools", ["custom tool", "definitions", "Zod", "signatures", "results", "errors", "filters", "lists of tools"]],
  ["Permissions", ["permission allowed", "permission denied"]],
  ["Hooks", ["hook that changes arguments", "silent hook"]],
  ["MCP servers", ["MCP tool", "servers"]],
  ["Skills, custom agents", ["skill", "custom agent"]],
  ["Options", ["ignored options"]],
]);
/** The checks that each client passed. @type {Map<string, string[]>} */
const passed = new Map();

process.exitCode = main();

function main() {
  if (process.env.TOOLCRIB_NO_CONFORMANCE === "1") {
    process.stderr.write("copilot clients: left out, as TOOLCRIB_NO_CONFORMANCE=1 says\n");
    return 0;
  }
  if (!ensureReady(ROOT)) return 1;
  const place = mkdtempSync(join(tmpdir(), "toolcrib-clients-"));
  const runApp = (
    /** @type {string} */ name,
    /** @type {string} */ command,
    /** @type {readonly string[]} */ args,
    /** @type {string} */ script,
  ) => tell(name, place, command, args, { MODEL: `scripted:${script}` }, "8 degrees");
  try {
    const results = [...runNpm(place), ...runPython(place), ...runLanguages(runApp)];
    process.stdout.write(toTable());
    return [...results, runBehaviours()].every(Boolean) ? 0 : 1;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** How many checks of each area each client passed, as Markdown. */
function toTable() {
  const names = [...passed.keys()];
  const row = (/** @type {readonly (string | number)[]} */ cells) => `| ${cells.join(" | ")} |\n`;
  const count = (/** @type {string} */ name, /** @type {readonly string[]} */ checks) =>
    (passed.get(name) ?? []).filter((check) => checks.includes(check)).length || "";
  const rows = [...AREAS].map(([area, checks]) => row([area, ...names.map((name) => count(name, checks))]));
  const all = row(["All", ...names.map((name) => passed.get(name)?.length ?? 0)]);
  return `\n${row(["Area", ...names])}${row(["---", ...names.map(() => "--:")])}${rows.join("")}${all}`;
}

/**
 * Every check has its place in the table.
 * @param {string} name
 * @param {string} text
 */
function notePassed(name, text) {
  const checks = text.split(", ");
  const known = [...AREAS.values()].flat();
  const unknown = checks.filter((check) => !known.includes(check));
  if (unknown.length > 0) throw new Error(`no area has the check ${unknown.join(", ")}`);
  passed.set(name, [...(passed.get(name) ?? []), ...checks]);
}

/** @param {string} place */
function runNpm(place) {
  return NPM.flatMap((version, at) => {
    const found = installOutside(`copilot-sdk-${version}`, [`@github/copilot-sdk@${version}`], ["--omit=optional"]);
    if (found === null) return [false];
    const env = { COPILOT_SDK: join(found, "@github", "copilot-sdk") };
    const runClient = (/** @type {string} */ file) =>
      check(`npm ${version}`, place, process.execPath, [join(CLIENTS, file)], env);
    if (at > 0) return [runClient("scenario.mjs")];
    // Beside the package, so that it is found as in an app.
    const app = join(found, "weather.mjs");
    writeFileSync(app, transformSync(readFileSync(join(APPS, "weather.ts"), "utf8"), { loader: "ts" }).code);
    const model = { MODEL: `scripted:${join(APPS, "weather.script.json")}` };
    return [
      runClient("scenario.mjs"),
      runClient("seed.mjs"),
      checkTypes(found),
      tell("weather.ts", place, process.execPath, [app], model, "8 degrees"),
    ];
  });
}

/** One table of behaviours, by the library and by both packages. */
function runBehaviours() {
  const vitest = join(ROOT, "node_modules", "vitest", "vitest.mjs");
  const env = { ...process.env, TOOLCRIB_BEHAVIOURS: HAS_PYTHON ? "typescript python" : "typescript" };
  const options = { cwd: ROOT, env, stdio: /** @type {const} */ ("inherit"), timeout: INSTALL_PATIENCE };
  return spawnSync(process.execPath, [vitest, "run", "--project", "tests", "test/behaviours"], options).status === 0;
}

/**
 * The app's types, against those that the package declares.
 * @param {string} found
 */
function checkTypes(found) {
  const copy = join(found, "weather.mts");
  writeFileSync(copy, readFileSync(join(APPS, "weather.ts"), "utf8"));
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const how = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--target",
    "es2023",
    "--module",
    "nodenext",
  ];
  const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules", "@types")];
  const done = spawnSync(process.execPath, [tsc, ...how, ...types, copy], { encoding: "utf8", timeout: PATIENCE });
  process.stdout.write(`weather.ts: ${done.status === 0 ? "its types fit" : `its types do not fit\n${done.stdout}`}\n`);
  return done.status === 0;
}

/** @param {string} place */
function runPython(place) {
  if (!HAS_PYTHON) {
    process.stderr.write("copilot clients: there is no Python with venv, so its clients are left out\n");
    return [];
  }
  return PYPI.flatMap((version, at) => {
    const packages = installWheel(version);
    if (packages === null) return [false];
    const env = { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: "1" };
    const runClient = (/** @type {string} */ file) =>
      check(`PyPI ${version}`, place, "python3", [join(CLIENTS, file)], env);
    if (at > 0) return [runClient("scenario.py")];
    const model = { ...env, MODEL: `scripted:${join(APPS, "desk.script.json")}` };
    const desk = tell("desk.py", place, "python3", [join(APPS, "desk.py")], model, "the letter is written");
    return [runClient("scenario.py"), runClient("seed.py"), desk];
  });
}

/**
 * @param {string} version
 * @returns {string | null} the folder that holds it and what it needs
 */
function installWheel(version) {
  const cache = join(ROOT, "node_modules", ".cache", "copilot-wheels");
  const [target, venv] = [join(cache, version), join(cache, "venv")];
  const stamp = join(target, "installed");
  if (existsSync(stamp)) return target;
  process.stderr.write(`copilot-wheels: installing github-copilot-sdk ${version} …\n`);
  mkdirSync(cache, { recursive: true });
  const pip = join(venv, "bin", "pip");
  if (!existsSync(pip)) spawnSync("python3", ["-m", "venv", venv], { timeout: INSTALL_PATIENCE });
  const wanted = ["install", "-q", "--disable-pip-version-check", "--target", target, `github-copilot-sdk==${version}`];
  const done = spawnSync(pip, wanted, { encoding: "utf8", timeout: INSTALL_PATIENCE });
  if (done.status === 0) {
    writeFileSync(stamp, version);
    return target;
  }
  process.stderr.write(`copilot-wheels: not installed\n${done.stderr ?? done.error?.message}\n`);
  return null;
}

/**
 * Runs a client whose last line says what it has checked.
 * @param {string} name
 * @param {string} place
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Record<string, string>} env
 */
function check(name, place, command, args, env) {
  const last = run(name, place, command, args, env);
  if (last !== null) notePassed(name, last);
  return last !== null;
}

/**
 * Runs an app that has to print something.
 * @param {string} name
 * @param {string} place
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Record<string, string>} env
 * @param {string} wanted
 */
function tell(name, place, command, args, env, wanted) {
  return run(name, place, command, args, env, wanted) !== null;
}

/**
 * Runs one program in a folder and a home of its own.
 * @param {string} name
 * @param {string} place
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Record<string, string>} env
 * @param {string} wanted what it has to print
 * @returns {string | null} the last line that it prints; null where it failed
 */
function run(name, place, command, args, env, wanted = "") {
  const scenario = mkdtempSync(join(place, "run-"));
  const own = {
    ...{ COPILOT_CLI_PATH: join(ROOT, "bin", "toolcrib.js"), COPILOT_HOME: scenario, SCENARIO: scenario },
    ...{ ECHO_SERVER: join(ROOT, "test", "fixtures", "echo-server.cjs"), NODE: process.execPath },
  };
  const options = { cwd: scenario, env: { ...process.env, ...own, ...env }, encoding: /** @type {const} */ ("utf8") };
  const { status, stdout, stderr, error } = spawnSync(command, args, { ...options, timeout: PATIENCE });
  const isFine = status === 0 && (stdout ?? "").includes(wanted);
  const last = isFine ? (stdout.trimEnd().split("\n").at(-1) ?? "") : null;
  process.stdout.write(`${name}: ${last ?? "failed"}\n`);
  if (!isFine) process.stdout.write(`${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}\n`);
  return last;
}
