// `npm test`: sets the checkout up and runs the tests. `--fast` runs those that need no process of their own,
// for use while working; `--all` adds those of the checkout itself, such as packing and installing a clone of it.
// Everything else goes to vitest, such as a path or `-t NAME`.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ensureReady } from "./setup.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const VITEST = fileURLToPath(new URL("../node_modules/vitest/vitest.mjs", import.meta.url));

/** Where the tests are that start no process. */
const FAST = [
  ...["core", "config", "doors", "runtime"].map((room) => `src/${room}/`),
  ...["contract-suite", "external", "module"].map((room) => `src/sources/${room}/`),
  ...["gateway", "http", "inspector"].map((room) => `src/surfaces/${room}/`),
  "src/system/text/",
  "test/seeds/",
];

const given = process.argv.slice(2);
const rest = given.filter((word) => word !== "--fast" && word !== "--all");

// Some tests read the declarations that a package has.
if (!ensureReady(ROOT, { declares: !given.includes("--fast") })) process.exit(1);
const { status, error } = spawnSync(process.execPath, [VITEST, "run", ...chooseTests(), ...rest], {
  cwd: ROOT,
  stdio: "inherit",
  // What was just built is what the tests of a whole run load; who works on one file wants to see its sources.
  env: { ...process.env, ...(rest.length === 0 ? { TOOLCRIB_TEST_BUILT: "1" } : {}) },
});
if (error !== undefined) process.stderr.write(`npm test: ${error.message}\n`);
process.exitCode = status ?? 1;

/** @returns {readonly string[]} */
function chooseTests() {
  if (given.includes("--fast")) return ["--project", "tests", ...FAST];
  return given.length === 0 ? ["--project", "tests"] : [];
}
