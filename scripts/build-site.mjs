// Builds the site of docs/ into site/dist, and fails on a link that leads nowhere. The site has packages of its own, which
// need a registry. Without one it is left out, unless TOOLCRIB_TEST_ALL=1.
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SITE = fileURLToPath(new URL("../site", import.meta.url));
const PATIENCE = 5 * 60_000;

process.exitCode = main();

function main() {
  if (!isInstalled()) {
    const npm = run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    if (npm.status !== 0) {
      const isRequired = process.env.TOOLCRIB_TEST_ALL === "1";
      const advice = isRequired ? "TOOLCRIB_TEST_ALL=0 leaves it out" : "it is left out";
      process.stderr.write(`site: its packages could not be installed; ${advice}\n${npm.stderr}`);
      return isRequired ? 1 : 0;
    }
  }
  const built = run(process.execPath, [join("node_modules", "vitepress", "bin", "vitepress.js"), "build"]);
  if (built.status !== 0) process.stderr.write(`${built.stdout}${built.stderr}`);
  process.stdout.write(built.status === 0 ? "site: built into site/dist\n" : "site: not built\n");
  return built.status ?? 1;
}

/** Whether npm has installed something since the lockfile was last changed. */
function isInstalled() {
  const changed = (/** @type {string[]} */ ...path) =>
    statSync(join(SITE, ...path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return changed("node_modules", ".package-lock.json") > changed("package-lock.json");
}

/**
 * @param {string} command
 * @param {readonly string[]} argv
 */
function run(command, argv) {
  return spawnSync(command, argv, {
    cwd: SITE,
    encoding: "utf8",
    shell: process.platform === "win32" && command === "npm",
    timeout: PATIENCE,
  });
}
