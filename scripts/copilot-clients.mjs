// Runs the published clients of the Copilot SDK against this checkout: every version in the tables completes the same
// scenario, and the example apps run with the newest ones. TOOLCRIB_NO_CONFORMANCE=1 leaves it out, for machines without a
// registry; where there is no Python, the Python clients are left out with a word.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { installOutside } from "./outside-packages.mjs";
import { ensureReady } from "./setup.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CLIENTS = join(ROOT, "test", "copilot", "clients");
const APPS = join(ROOT, "examples", "copilot");
/** The newest first. */
const NPM = ["1.0.14", "1.0.9", "0.3.0"];
const PYPI = ["1.0.27", "1.0.20", "1.0.11"];
const PATIENCE = 3 * 60_000;

process.exitCode = main();

function main() {
  if (process.env.TOOLCRIB_NO_CONFORMANCE === "1") {
    process.stderr.write("copilot clients: left out, as TOOLCRIB_NO_CONFORMANCE=1 says\n");
    return 0;
  }
  if (!ensureReady(ROOT)) return 1;
  const place = mkdtempSync(join(tmpdir(), "toolcrib-clients-"));
  try {
    const results = [...runNpm(place), ...runPython(place)];
    return results.every(Boolean) ? 0 : 1;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** @param {string} place */
function runNpm(place) {
  return NPM.flatMap((version, at) => {
    const found = installOutside(`copilot-sdk-${version}`, [`@github/copilot-sdk@${version}`], ["--omit=optional"]);
    if (found === null) return [false];
    const env = { COPILOT_SDK: join(found, "@github", "copilot-sdk") };
    const run = (/** @type {string} */ file) =>
      tell(`npm ${version}`, place, process.execPath, [join(CLIENTS, file)], env);
    if (at > 0) return [run("scenario.mjs")];
    // Beside the package, so that it is found as in an app.
    const app = join(found, "weather.mjs");
    writeFileSync(app, transformSync(readFileSync(join(APPS, "weather.ts"), "utf8"), { loader: "ts" }).code);
    const model = { MODEL: `scripted:${join(APPS, "weather.script.json")}` };
    return [
      run("scenario.mjs"),
      run("seed.mjs"),
      checkTypes(found),
      tell("weather.ts", place, process.execPath, [app], model, "8 degrees"),
    ];
  });
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
  if (spawnSync("python3", ["-c", "import venv, ensurepip"]).status !== 0) {
    process.stderr.write("copilot clients: there is no Python with venv, so its clients are left out\n");
    return [];
  }
  return PYPI.flatMap((version, at) => {
    const packages = installWheel(version);
    if (packages === null) return [false];
    const env = { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: "1" };
    const run = (/** @type {string} */ file) => tell(`PyPI ${version}`, place, "python3", [join(CLIENTS, file)], env);
    if (at > 0) return [run("scenario.py")];
    const model = { ...env, MODEL: `scripted:${join(APPS, "desk.script.json")}` };
    const desk = tell("desk.py", place, "python3", [join(APPS, "desk.py")], model, "the letter is written");
    return [run("scenario.py"), run("seed.py"), desk];
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
  if (!existsSync(pip)) spawnSync("python3", ["-m", "venv", venv], { timeout: PATIENCE });
  const wanted = ["install", "-q", "--disable-pip-version-check", "--target", target, `github-copilot-sdk==${version}`];
  const done = spawnSync(pip, wanted, { encoding: "utf8", timeout: PATIENCE });
  if (done.status === 0) {
    writeFileSync(stamp, version);
    return target;
  }
  process.stderr.write(`copilot-wheels: not installed\n${done.stderr ?? done.error?.message}\n`);
  return null;
}

/**
 * Runs one program in a folder and a home of its own.
 * @param {string} name
 * @param {string} place
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Record<string, string>} env
 * @param {string} wanted what it has to print
 */
function tell(name, place, command, args, env, wanted = "") {
  const scenario = mkdtempSync(join(place, "run-"));
  const own = {
    ...{ COPILOT_CLI_PATH: join(ROOT, "bin", "toolcrib.js"), COPILOT_HOME: scenario, SCENARIO: scenario },
    ...{ ECHO_SERVER: join(ROOT, "test", "fixtures", "echo-server.mjs"), NODE: process.execPath },
  };
  const options = { cwd: scenario, env: { ...process.env, ...own, ...env }, encoding: /** @type {const} */ ("utf8") };
  const { status, stdout, stderr, error } = spawnSync(command, args, { ...options, timeout: PATIENCE });
  const isFine = status === 0 && (stdout ?? "").includes(wanted);
  process.stdout.write(`${name}: ${isFine ? stdout.trimEnd().split("\n").at(-1) : "failed"}\n`);
  if (!isFine) process.stdout.write(`${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}\n`);
  return isFine;
}
