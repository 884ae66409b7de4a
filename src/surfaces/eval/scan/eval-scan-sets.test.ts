import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { evalScan } from "./eval-scan.ts";

const DETERMINISTIC: ReadonlySet<string> = new Set([
  "invisible-unicode",
  "ansi-control",
  "homoglyph-name",
  "shadowing",
  "rug-pull",
  "parser-hazard",
]);

/** Found and all, over the categories of one kind. */
function countRecall(recall: Readonly<Record<string, string>>, deterministic: boolean): readonly [number, number] {
  let found = 0;
  let all = 0;
  for (const [category, share] of Object.entries(recall)) {
    if (DETERMINISTIC.has(category) !== deterministic) continue;
    const [right = 0, cases = 0] = share.split("/").map(Number);
    found += right;
    all += cases;
  }
  return [found, all];
}

// What was reached, not what was hoped for. Nothing was learned from the first seven, but the totals of the first four chose
// among trainings. The weights know all the others: docs/decisions/scanner-quality.md.
// The one rug pull that is not seen states a hint that is the default anyway, which is the same definition (N10).
test.each([
  { file: "scan-ninth.jsonl", wording: 53, wordings: 70, sure: 6, sures: 6, benign: 78, alarms: 2 },
  { file: "scan-tenth.jsonl", wording: 79, wordings: 124, sure: 4, sures: 4, benign: 153, alarms: 4 },
  { file: "scan-eleventh.jsonl", wording: 0, wordings: 0, sure: 0, sures: 0, benign: 60, alarms: 3 },
  { file: "scan-twelfth.jsonl", wording: 41, wordings: 50, sure: 0, sures: 0, benign: 33, alarms: 0 },
  { file: "tool-defs.jsonl", wording: 18, wordings: 18, sure: 28, sures: 28, benign: 47, alarms: 0 },
  { file: "tool-defs-2.jsonl", wording: 21, wordings: 23, sure: 0, sures: 0, benign: 12, alarms: 0 },
  { file: "tool-defs-3.jsonl", wording: 31, wordings: 31, sure: 0, sures: 0, benign: 31, alarms: 0 },
  { file: "scan-languages.jsonl", wording: 223, wordings: 223, sure: 0, sures: 0, benign: 265, alarms: 0 },
  { file: "scan-polite.jsonl", wording: 87, wordings: 87, sure: 0, sures: 0, benign: 133, alarms: 1 },
  { file: "scan-dev.jsonl", wording: 108, wordings: 110, sure: 34, sures: 34, benign: 123, alarms: 0 },
  { file: "scan-held-out.jsonl", wording: 114, wordings: 114, sure: 47, sures: 47, benign: 109, alarms: 0 },
  { file: "scan-later.jsonl", wording: 116, wordings: 118, sure: 0, sures: 0, benign: 125, alarms: 1 },
  { file: "scan-fresh.jsonl", wording: 60, wordings: 60, sure: 32, sures: 32, benign: 65, alarms: 0 },
  { file: "scan-second.jsonl", wording: 56, wordings: 58, sure: 13, sures: 13, benign: 69, alarms: 0 },
  { file: "scan-third.jsonl", wording: 53, wordings: 53, sure: 0, sures: 0, benign: 61, alarms: 0 },
  { file: "scan-fourth.jsonl", wording: 41, wordings: 41, sure: 0, sures: 0, benign: 40, alarms: 0 },
  { file: "scan-fifth.jsonl", wording: 25, wordings: 25, sure: 0, sures: 0, benign: 24, alarms: 0 },
  { file: "scan-sixth.jsonl", wording: 81, wordings: 81, sure: 67, sures: 67, benign: 152, alarms: 1 },
  { file: "scan-seventh.jsonl", wording: 78, wordings: 80, sure: 64, sures: 64, benign: 152, alarms: 2 },
  { file: "scan-eighth.jsonl", wording: 70, wordings: 72, sure: 0, sures: 0, benign: 40, alarms: 0 },
  { file: "scan-lines.jsonl", wording: 701, wordings: 709, sure: 0, sures: 0, benign: 553, alarms: 4 },
  { file: "scan-training.jsonl", wording: 349, wordings: 354, sure: 0, sures: 0, benign: 323, alarms: 1 },
])("$file: at least what was reached is found, and hardly anything benign alarms", (set) => {
  const path = fileURLToPath(new URL(`../../../../test/fixtures/security/${set.file}`, import.meta.url));
  const { recall, falseAlarms, cases } = evalScan({ path, shown: set.file, now: () => 0, onScan: () => {} });
  const [wording, wordings] = countRecall(recall, false);
  const [sure, sures] = countRecall(recall, true);
  expect({ wordings, sures, benign: cases - wordings - sures }).toEqual({
    wordings: set.wordings,
    sures: set.sures,
    benign: set.benign,
  });
  expect(wording).toBeGreaterThanOrEqual(set.wording);
  expect(sure).toBeGreaterThanOrEqual(set.sure);
  expect(falseAlarms).toBeLessThanOrEqual(set.alarms);
});
