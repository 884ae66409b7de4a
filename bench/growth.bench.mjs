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
    return testResults.flatMap(({ name, message, assertionResults }) => {
      const measured = assertionResults.flatMap(({ meta }) => meta.measured ?? []);
      const failed = assertionResults.find((one) => one.status === "failed" && one.meta.measured === undefined);
      if (failed !== undefined) throw new Error(`${name}: ${failed.fullName}\n${failed.failureMessages?.join("\n")}`);
      if (assertionResults.length === 0) throw new Error(`${name}: ${message}\n${stderr}`);
      return measured.length === 0 ? [] : [toRow(relative(ROOT, name), measured)];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
