// Writes the plugins of other clients, and the catalogs that name them: npm run build && node scripts/write-plugins.mjs
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPlugins } from "./plugins/build-plugins.mjs";

/** @param {string} path */
const at = (path) => new URL(`../${path}`, import.meta.url);
const { CLIENT_HOOKS } = await import(at("dist/surfaces/guard/guard-parts.js").href);
const { portableLine } = await import(at("dist/surfaces/guard/installed-line.js").href);
const { version, license } = JSON.parse(readFileSync(at("package.json"), "utf8"));
const skill = readFileSync(at("scripts/plugins/why.md"), "utf8");

rmSync(at("plugins"), { recursive: true, force: true });
for (const [path, text] of buildPlugins({ version, license, skill, line: portableLine, hooks: CLIENT_HOOKS })) {
  const file = fileURLToPath(at(path));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
