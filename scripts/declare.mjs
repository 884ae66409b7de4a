// Adds to a build what a package has beside what runs: `node scripts/declare.mjs [OUT]` writes the declarations, and chooses
// which files ship.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { chooseShipped } from "./build/choose-shipped.mjs";
import { ROOT } from "./build/places.mjs";

const out = resolve(process.argv[2] ?? join(ROOT, "dist"));
const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
// Whether the types are right is what `npm run check` and the tests of types say; here it would take twice as long again.
const options = ["-p", "tsconfig.build.json", "--outDir", out, "--noCheck"];
const { status } = spawnSync(process.execPath, [compiler, ...options], { cwd: ROOT, stdio: "inherit" });
if (status === 0) await chooseShipped(out);
process.exitCode = status ?? 1;
