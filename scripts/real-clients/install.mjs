// Puts a client into a folder of its own, outside of the checkout, in exactly the version that its file here names.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { start } from "./start.mjs";

const PATIENCE = 10 * 60_000;

/** @typedef {import("./client.d.ts").Client} Client */

/**
 * @param {Client} client
 * @param {string} folder where all clients are
 * @param {AbortSignal} signal
 * @returns {Promise<string>} its node_modules
 */
export async function install({ name, title, packageName, version }, folder, signal) {
  const place = join(folder, `${name}-${version}`);
  const modules = join(place, "node_modules");
  const record = join(modules, packageName, "package.json");
  if (existsSync(record) && JSON.parse(readFileSync(record, "utf8")).version === version) return modules;
  process.stderr.write(`installing ${title} ${version} into ${place} …\n`);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "package.json"), '{ "private": true }\n');
  const options = ["--prefix", place, "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"];
  const { status, err } = await start(["npm", "install", ...options, `${packageName}@${version}`], {
    cwd: place,
    env: process.env,
    patience: PATIENCE,
    signal,
  });
  if (status !== 0) throw new Error(`${title} ${version} could not be installed into ${place}:\n${err}`);
  return modules;
}
