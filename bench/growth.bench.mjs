// Work on hostile input: what the tests that call `growth` or `costRatio` measure, one row for each of their files.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const VITEST = join(ROOT, "node_modules", "vitest", "vitest.mjs");

/** @typedef {{ ratio: number, limit: number }} Measured */

export async function run() {
  const files = ["src", "test"].flatMap(filesThatMeasure);
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-growth-"));
  try {
    const report = join(folder, "report.json");
    const argv = ["run", "--typecheck.enabled=false", "--maxWorkers=1", "--reporter=json", `--outputFile=${report}`];
    const { stderr } = spawnSync(process.execPath, [VITEST, ...argv, ...files], {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, TOOLCRIB_MEASURE: "1" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    /** @type {{ testResults: { name: string, message: string, assertionResults: { status: string, fullName: string, meta: { measured?: Measured[] }, failureMessages: string[] | null }[] }[] }} */
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    const rows = testResults.flatMap(({ name, message, assertionResults }) => {
      const measured = assertionResults.flatMap(({ meta }) => meta.measured ?? []);
      const failed = assertionResults.find((one) => one.status === "failed" && one.meta.measured === undefined);
      if (failed !== undefined) throw new Error(`${name}: ${failed.fullName}\n${failed.failureMessages?.join("\n")}`);
      if (assertionResults.length === 0) throw new Error(`${name}: ${message}\n${stderr}`);
      return measured.length === 0 ? [] : [toRow(relative(ROOT, name), measured)];
    });
    return [...rows, ...CHANGING_LISTS.map(measureChangingList)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Servers that say every 50 ms that their list changed, and whose definitions are others each time. */
const CHANGING_LISTS = [
  { name: "1,500 tools (7.5 MB)", orders: ["tools=1500"] },
  { name: "4,500 tools in 4 pages", orders: ["tools=4500", "pages=4"] },
  { name: "15 odd schemas (5 MB)", orders: ["tools=15", "bytes=330000", "shape=odd"] },
];
/** Milliseconds for which the loop may stand still, beyond one parse of the message. */
const STOP = 50;

/** @param {{ name: string, orders: readonly string[] }} list */
function measureChangingList({ name, orders }) {
  const { stdout } = spawnSync(process.execPath, [join(ROOT, "bench", "changing-lists.mjs"), "20", ...orders], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  /** @type {{ stop: number, parse: number, most: number, share: number, calls: number }} */
  const { stop, parse, most, share, calls } = JSON.parse(stdout);
  const told = `${stop.toFixed(0)} ms, longest ${most.toFixed(0)} ms, a parse ${parse.toFixed(0)} ms; ${(share * 100).toFixed(0)} % of a core, ${calls} other calls`;
  return {
    name: `changing list, ${name}: stop of the loop at p99.9 beyond a parse, in units of ${STOP} ms`,
    measured: told,
    ratio: Math.max(0, stop - parse) / STOP,
    limit: 1,
  };
}

/**
 * @param {string} file
 * @param {readonly Measured[]} measured
 */
function toRow(file, measured) {
  const [worst = { ratio: 0, limit: 1 }] = [...measured].sort((a, b) => b.ratio / b.limit - a.ratio / a.limit);
  return { name: file, measured: `worst of ${measured.length}`, ratio: worst.ratio, limit: worst.limit };
}

/** @param {string} folder */
function filesThatMeasure(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => path.endsWith(".test.ts") && readFileSync(join(ROOT, path), "utf8").includes("/fixtures/cost.ts"))
    .sort();
}
