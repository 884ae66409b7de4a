// How long the decision about one command line takes, ordinary or hostile, and the scan of a catalog.
import { defaultOrigin, sourced } from "../dist/core/codes/origin.js";
import { compileRules, loadPatterns } from "../dist/core/rules/compile-rules.js";
import { decide } from "../dist/core/rules/decide.js";
import { fromSymlinks } from "../dist/core/rules/paths.js";
import { PROGRAMS } from "../dist/core/rules/programs/programs.js";
import { parseRule } from "../dist/core/rules/rule.js";
import { createShellReader } from "../dist/system/shell/read-command-line.js";
import { measureFirstLine, measureFirstScan } from "./fresh-process.mjs";
import { HOSTILE_LINES, MANY_RULES, randomHostileLines } from "./hostile-lines.mjs";
import { medianMs } from "./measure.mjs";
import { measureLines, measureScan } from "./ordinary-work.mjs";
import { randomLines, readersOf } from "./random-lines.mjs";
import { findChanging, LINKS } from "./run-read-only.mjs";

const LIMIT_MS = 250;
/** A seed of its own for every run; `SEED` repeats one. */
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const LINES = Number(process.env.RUNS ?? 20_000);
const RANDOM_HOSTILE = 150;
const WORLD = { cwd: "/w", workspace: "/w", home: "/h", readLink: () => null };

export async function run() {
  const { read } = await createShellReader();
  const rows = [
    toRow("an ordinary line read and judged, against the grammar's reading alone", await measureLines(), 25),
    toRow("1,000 tools scanned, against writing them as JSON and normalising that", measureScan(), 5),
    toRow("the first line judged in a fresh process, CPU against a process that does nothing", measureFirstLine(), 8),
    toRow("1,000 tools scanned in a fresh process, CPU against a process that does nothing", measureFirstScan(), 9),
    countChanging(read),
  ];
  for (const [kind, { deny, allow }] of Object.entries(MANY_RULES)) {
    const lists = { deny: toRules(deny), ask: [], allow: toRules(allow) };
    await loadPatterns(lists);
    const rules = compileRules(lists, WORLD);
    /** @param {string} text */
    const judge = (text) => {
      const subject = /** @type {const} */ ({ kind: "shell", line: read(text) });
      const call = { toolName: "bash", isMeantBy: () => false, subject, arguments: {}, readOnly: false };
      return decide(call, rules, { ...WORLD, mode: "accept-edits", allowReadOnly: true });
    };
    // Shorter lines are read by the grammar too, and judged again as ones that only read.
    const named = Object.entries(HOSTILE_LINES).flatMap(([name, line]) => [
      { name, line },
      { name: `10 KB of ${name}`, line: line.slice(0, 9_900) },
    ]);
    const random = randomHostileLines(SEED, RANDOM_HOSTILE).map((line, at) => ({
      name: `random line ${at} of seed ${SEED}`,
      line,
    }));
    const lines = [...named, ...random];
    const measured = lines.map(({ name, line }) => ({ name, ms: medianMs(3, () => line, judge) }));
    const [worst = { name: "", ms: 0 }] = measured.sort((a, b) => b.ms - a.ms);
    rows.push({
      name: `the slowest of ${lines.length} lines with ${deny.length + allow.length} rules about ${kind}, in units of ${LIMIT_MS} ms`,
      measured: `${worst.ms.toFixed(0)} ms (${worst.name})`,
      ratio: worst.ms / LIMIT_MS,
      limit: 1,
    });
  }
  return rows;
}

/** @param {string} name @param {ReturnType<typeof measureScan>} measured @param {number} limit */
function toRow(name, { ours, least, ratio }, limit) {
  return { name, measured: `${ours.toFixed(0)} µs against ${least.toFixed(1)} µs each`, ratio, limit };
}

/**
 * What counts as reading must change nothing: random lines that do, run in a throw-away sandbox.
 * @param {(line: string) => import("../dist/core/rules/shell/command-line.js").CommandLine} read
 */
function countChanging(read) {
  const readers = readersOf(PROGRAMS);
  const world = { ...WORLD, readLink: fromSymlinks(LINKS, WORLD.workspace) };
  const reading = randomLines(SEED, LINES, readers).filter((line) => {
    const subject = /** @type {const} */ ({ kind: "shell", line: read(line) });
    const call = { toolName: "bash", isMeantBy: () => false, subject, arguments: {}, readOnly: false };
    const context = /** @type {const} */ ({ ...world, mode: "default", allowReadOnly: true });
    return decide(call, { deny: [], ask: [], allow: [] }, context).decision === "allow";
  });
  const changing = findChanging(reading, readers.keys(), "bwrap");
  for (const { line, change } of changing) console.error(`SEED=${SEED}: ${JSON.stringify(line)}\n${change}`);
  const name = `of ${LINES} random lines, those that count as reading and change a file or start another program`;
  return { name, measured: `${reading.length} lines were run, seed ${SEED}`, ratio: changing.length, limit: 0 };
}

/** @param {readonly string[]} texts */
function toRules(texts) {
  return texts.map((text) => sourced(parseRule(text, defaultOrigin), defaultOrigin));
}
