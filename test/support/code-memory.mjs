// A program of its own, because what is measured is the memory of a whole process: runs code, in rounds of several at once, and
// writes what the model would read of each, and how many bytes the process has gained at most and in the end.
import { readFileSync } from "node:fs";
import { createSession } from "../../dist/index.js";

/** Not `maxRSS`: on Linux a process inherits its parent's. */
function readPeak() {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // Only Linux has it.
  }
  return process.resourceUsage().maxRSS * 1024;
}

const rounds = /** @type {string[][]} */ (JSON.parse(process.argv[2] ?? "[]"));
const session = await createSession({ workspace: null, code: "on", limits: { computing: 300_000 } });
const run = async (/** @type {string} */ code) => (await session.call("run_code", { code })).textResultForLlm;
await run("return 1");
const before = process.memoryUsage.rss();
const said = [];
for (const round of rounds) said.push(...(await Promise.all(round.map(run))));
const peak = readPeak() - before;
process.stdout.write(JSON.stringify({ said, peak, left: process.memoryUsage.rss() - before }));
await session.close();
