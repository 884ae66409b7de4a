// Adds to a build what a package has beside what runs: `node scripts/declare.mjs [OUT]` writes the declarations, and chooses
// which files ship.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { chooseShipped } from "./build/choose-shipped.mjs";
import { ROOT } from "./build/places.mjs";

const out = resolve(process.argv[2] ?? join(ROOT, "dist"));
const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", out], {
  cwd: ROOT,
  stdio: "inherit",
});
if (status === 0) await chooseShipped(out);
process.exitCode = status ?? 1;
