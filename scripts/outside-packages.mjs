// Programs that the project is measured with but does not depend on: exact versions, installed into a cache of their own
// when a script first needs them, so that nobody else has to download them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../node_modules/.cache", import.meta.url));
const PATIENCE = 5 * 60_000;
const NODE = {
  name: `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`,
  version: "24.9.0",
};

/**
 * Installs packages into a folder of the cache, unless exactly these are there.
 * @param {string} folder
 * @param {readonly string[]} packages each with its exact version
 * @param {readonly string[]} [options] more for npm
 * @returns {string | null} where the packages are; null when they could not be had, and then the reason is on stderr
 */
export function installOutside(folder, packages, options = []) {
  const place = join(CACHE, folder);
  const stamp = join(place, "installed");
  const wanted = [...packages, ...options].join("\n");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
    process.stderr.write(`${folder}: installing ${packages.join(" and ")} …\n`);
    rmSync(stamp, { force: true });
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "package.json"), '{ "private": true }\n');
    const all = ["--prefix", place, "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", ...options];
    const npm = spawnSync("npm", ["install", ...all, ...packages], {
      cwd: place,
      encoding: "utf8",
      shell: process.platform === "win32",
      timeout: PATIENCE,
    });
    if (npm.status !== 0) {
      process.stderr.write(`${folder}: not installed\n${npm.stderr || (npm.error?.message ?? "")}\n`);
      return null;
    }
    writeFileSync(stamp, wanted);
  }
  return join(place, "node_modules");
}

/**
 * A Node of at least this version: the one that runs this where it is new enough, else one of the cache.
 * @param {number} wantedMajor
 * @param {number} wantedMinor
 * @returns {string | null} its executable; null when it could not be had
 */
export function findNode(wantedMajor, wantedMinor) {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return process.execPath;
  const place = installOutside("newer-node", [`${NODE.name}@${NODE.version}`]);
  return place && join(place, NODE.name, "bin", process.platform === "win32" ? "node.exe" : "node");
}
