// `npm run keycloak`: people log in to a built gateway at a real Keycloak, which nothing else needs and nothing of which is
// part of the checkout. Where it cannot run it says so, and fails nothing.
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const VERSION = "26.7.3";
const PACKAGE = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
const JAVA = 17;
/** In the folder that Maven unpacks. */
const PROGRAM = join("bin", "kc.sh");
const TESTS = "test/e2e/keycloak.test.ts";
const DEFAULT_FOLDER = join(tmpdir(), "toolcrib-keycloak");

const HELP = `Usage: npm run keycloak [-- OPTIONS]

Gets Keycloak ${VERSION} with Maven (180 MB, once), builds and starts it on
loopback, and runs ${TESTS} with it. Needs Java ${JAVA} or
newer, and Maven.

Options:
  --folder FOLDER     where Keycloak and its database are, outside of the
                      checkout (${DEFAULT_FOLDER})
  --patience SECONDS  how long one step may take (600)
  -h, --help          show this text
`;

/** @typedef {{ place: string, log: string, patience: number, password: string, signal: AbortSignal }} Setting */

process.exitCode = await main().catch((error) => {
  process.stderr.write(`keycloak: ${error instanceof Error ? error.message : error}\n`);
  return 1;
});

async function main() {
  const { values } = parseArgs({
    options: {
      folder: { type: "string", default: DEFAULT_FOLDER },
      patience: { type: "string", default: "600" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const folder = resolve(values.folder);
  if (!relative(ROOT, folder).startsWith("..")) throw new Error(`--folder ${folder} is inside the checkout`);
  const patience = Number(values.patience) * 1_000;
  if (!(patience > 0)) throw new Error(`--patience ${values.patience} is no number of seconds`);
  const lacks = whatIsMissing();
  if (lacks !== null) return skip(lacks);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = join(folder, `keycloak-${VERSION}`);
  if (!unpack(folder, place, patience)) return skip(`Maven could not get ${PACKAGE}`);
  const stop = new AbortController();
  for (const name of /** @type {const} */ (["SIGINT", "SIGTERM"])) process.once(name, () => stop.abort());
  const setting = { place, patience, log: join(folder, "keycloak.log"), password: ownPassword(folder) };
  return await runTests({ ...setting, signal: stop.signal });
}

/** @param {string} reason */
function skip(reason) {
  process.stderr.write(`keycloak: SKIPPED: ${reason}\n`);
  return 0;
}

/** @returns {string | null} */
function whatIsMissing() {
  if (process.platform === "win32") return "on Windows nothing would end the Keycloak that it starts";
  const { status, stderr } = spawnSync("java", ["-version"], { encoding: "utf8" });
  const [, version = "0"] = /version "(\d+)/.exec(stderr ?? "") ?? [];
  if (status !== 0) return `this machine has no Java; install Java ${JAVA} or newer`;
  if (Number(version) < JAVA) return `Java ${version} is too old; install Java ${JAVA} or newer`;
  if (spawnSync("mvn", ["-v"]).status !== 0) return "this machine has no Maven; install it";
  return null;
}

/**
 * Once: what was built before is there.
 * @param {string} folder
 * @param {string} place
 * @param {number} patience
 */
function unpack(folder, place, patience) {
  const built = join(place, "built-by-toolcrib");
  if (existsSync(built)) return true;
  process.stderr.write(`keycloak: getting ${PACKAGE} into ${folder} …\n`);
  const words = ["-q", "-B", "dependency:unpack", `-Dartifact=${PACKAGE}`, `-DoutputDirectory=${folder}`];
  /** @type {import("node:child_process").SpawnSyncOptions} */
  const options = { stdio: ["ignore", process.stderr, process.stderr], timeout: patience };
  // Not in the checkout: Maven leaves its marks where it runs.
  if (spawnSync("mvn", words, { ...options, cwd: folder }).status !== 0) return false;
  process.stderr.write("keycloak: building …\n");
  const program = join(place, PROGRAM);
  const { status } = spawnSync(program, ["build", "--db=dev-file"], options);
  if (status !== 0) throw new Error(`${program} build failed (${status}); see above`);
  writeFileSync(built, "");
  return true;
}

/**
 * The database knows it from its first start on.
 * @param {string} folder
 */
function ownPassword(folder) {
  const file = join(folder, "admin-password");
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString("base64url"), { mode: 0o600 });
  return readFileSync(file, "utf8");
}

/**
 * @param {Setting} setting
 * @returns {Promise<number>} exit status
 */
async function runTests(setting) {
  const { password, signal } = setting;
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const keycloak = startKeycloak(setting, port);
  const ended = once(keycloak, "close");
  try {
    const begun = Date.now();
    await untilReady(setting, origin, keycloak);
    process.stderr.write(`keycloak: ${VERSION} is ready after ${((Date.now() - begun) / 1_000).toFixed(0)} s\n`);
    const tests = spawn(process.execPath, [join(ROOT, "scripts", "test.mjs"), TESTS], {
      stdio: "inherit",
      signal,
      env: { ...process.env, TOOLCRIB_KEYCLOAK: JSON.stringify({ origin, admin: "admin", password }) },
    });
    const [status] = await once(tests, "close");
    return status ?? 1;
  } finally {
    keycloak.kill("SIGTERM");
    await ended;
  }
}

/**
 * Without `--cache=local` it would look for others of its kind in the network.
 * @param {Setting} setting
 * @param {number} port
 */
function startKeycloak({ place, log, password }, port) {
  const here = ["--http-host=127.0.0.1", `--http-port=${port}`, "--http-enabled=true", "--hostname-strict=false"];
  const written = openSync(log, "w", 0o600);
  return spawn(join(place, PROGRAM), ["start", "--optimized", "--cache=local", ...here], {
    stdio: ["ignore", written, written],
    env: {
      ...process.env,
      KC_BOOTSTRAP_ADMIN_USERNAME: "admin",
      KC_BOOTSTRAP_ADMIN_PASSWORD: password,
      JAVA_OPTS_KC_HEAP: "-Xms64m -Xmx512m",
    },
  });
}

/**
 * @param {Setting} setting
 * @param {string} origin
 * @param {import("node:child_process").ChildProcess} keycloak
 */
async function untilReady({ log, patience, signal }, origin, keycloak) {
  const limit = Date.now() + patience;
  for (;;) {
    if (signal.aborted) throw new Error("stopped");
    if (keycloak.exitCode !== null) throw new Error(`Keycloak ended by itself; see ${log}`);
    if (Date.now() > limit) throw new Error(`Keycloak was not ready within ${patience / 1_000} s; see ${log}`);
    const answer = await fetch(`${origin}/realms/master`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.ok) return;
    await new Promise((done) => setTimeout(done, 500));
  }
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
