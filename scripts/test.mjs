// `npm test`: sets the checkout up and runs the tests. `--fast` runs those that need no process of their own,
// for use while working; `--all` adds those of the checkout itself, such as packing and installing a clone of it.
// `--shuffle` runs files and their tests in a random order and prints its seed (`--shuffle=SEED` is that order again),
// `--isolate` runs each file in a process of its own. Everything else goes to vitest, such as a path or `-t NAME`.
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
const shuffle = given.find((word) => /^--shuffle(?:=\d+)?$/.test(word));
const seed = shuffle === undefined ? null : Number(shuffle.split("=")[1] ?? Date.now() % 1_000_000);
const isolates = given.includes("--isolate");
const rest = given.filter((word) => !["--fast", "--all", "--isolate", shuffle].includes(word));

// Some tests read the declarations that a package has.
if (seed !== null) process.stderr.write(`npm test: in a random order; --shuffle=${seed} is the same again\n`);
if (!ensureReady(ROOT, { declares: !given.includes("--fast"), tools: true })) process.exit(1);
const { status, error } = spawnSync(process.execPath, [VITEST, "run", ...chooseTests(), ...rest], {
  cwd: ROOT,
  stdio: "inherit",
  // What was just built is what the tests of a whole run load; who works on one file wants to see its sources.
  env: {
    ...process.env,
    ...(rest.length === 0 ? { TOOLCRIB_TEST_BUILT: "1" } : {}),
    ...(seed === null ? {} : { TOOLCRIB_TEST_SHUFFLE: String(seed) }),
    ...(isolates ? { TOOLCRIB_TEST_ISOLATE: "1" } : {}),
  },
});
if (error !== undefined) process.stderr.write(`npm test: ${error.message}\n`);
process.exitCode = status ?? 1;

/** @returns {readonly string[]} */
function chooseTests() {
  if (given.includes("--fast")) return ["--project", "tests", ...FAST];
  return rest.length === 0 && !given.includes("--all") ? ["--project", "tests"] : [];
}
