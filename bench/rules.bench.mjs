// How long the decision about one command line takes at most, whatever the line is.
import { defaultOrigin, sourced } from "../dist/core/codes/origin.js";
import { compileRules } from "../dist/core/rules/compile-rules.js";
import { decide } from "../dist/core/rules/decide.js";
import { parseRule } from "../dist/core/rules/rule.js";
import { createShellReader } from "../dist/system/shell/read-command-line.js";
import { HOSTILE_LINES, MANY_RULES } from "./hostile-lines.mjs";
import { medianMs } from "./measure.mjs";

const LIMIT_MS = 250;
const WORLD = { cwd: "/w", workspace: "/w", home: "/h", readLink: () => null };

export async function run() {
  const { read } = await createShellReader();
  const rows = [];
  for (const [kind, { deny, allow }] of Object.entries(MANY_RULES)) {
    const rules = compileRules({ deny: toRules(deny), ask: [], allow: toRules(allow) }, WORLD);
    /** @param {string} text */
    const judge = (text) => {
      const subject = /** @type {const} */ ({ kind: "shell", line: read(text) });
      const call = { toolName: "bash", isMeantBy: () => false, subject, arguments: {}, readOnly: false };
      return decide(call, rules, { ...WORLD, mode: "accept-edits", allowReadOnly: true });
    };
    // Shorter lines are read by the grammar too, and judged again as ones that only read.
    const lines = Object.entries(HOSTILE_LINES).flatMap(([name, line]) => [
      { name, line },
      { name: `10 KB of ${name}`, line: line.slice(0, 9_900) },
    ]);
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

/** @param {readonly string[]} texts */
function toRules(texts) {
  return texts.map((text) => sourced(parseRule(text, defaultOrigin), defaultOrigin));
}
