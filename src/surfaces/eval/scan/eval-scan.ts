import { buildCatalog } from "../../../core/catalog/catalog.ts";
import { isAsPinned, toPinnedSignature } from "../../../core/tool/pinned-signature.ts";
import { type Tool, toTool } from "../../../core/tool/tool.ts";
import { scanEntry } from "../../../core/trust/scan-entry.ts";
import { type Action, isAction, type Scan, type Signal, strictness, toScan } from "../../../core/trust/signal.ts";
import { toTools } from "../../../sources/mcp/to-tools.ts";
import { readJsonLines } from "../read-lines.ts";
import { createStopwatch } from "../stopwatch.ts";
import { type ScanCase, toScanCase } from "./scan-case.ts";

/** How the actions compare with what the cases expect. */
export interface ScanSummary {
  readonly cases: number;
  readonly right: number;
  /** Suspicious cases that were judged too mildly, by category. */
  readonly recall: Readonly<Record<string, string>>;
  /** Benign cases that were not accepted. */
  readonly falseAlarms: number;
  readonly missed: readonly string[];
  readonly alarmed: readonly string[];
  readonly p50Ms: number;
  readonly p95Ms: number;
}

interface ScanEvaluation {
  readonly path: string;
  readonly shown: string;
  readonly now: () => number;
  readonly onScan: (id: string, scan: Scan) => void;
}

/** `eval scan`: checks every definition of a file as a catalog and the trust gate would. */
export function evalScan({ path, shown, now, onScan }: ScanEvaluation): ScanSummary {
  const watch = createStopwatch(now);
  const judged = readJsonLines(path, shown).map((line) => {
    const one = toScanCase(line);
    const scan = watch.time(() => scanCase(one));
    onScan(one.id, scan);
    return { one, right: isRight(one, scan.action) };
  });
  const wrong = (label: string) =>
    judged.filter(({ one, right }) => !right && one.label === label).map(({ one }) => one.id);
  const suspicious = judged.filter(({ one }) => one.label === "suspicious");
  const categories = [...new Set(suspicious.map(({ one }) => one.category))].sort();
  return {
    cases: judged.length,
    right: judged.filter(({ right }) => right).length,
    recall: Object.fromEntries(
      categories.map((category) => {
        const all = suspicious.filter(({ one }) => one.category === category);
        return [category, `${all.filter(({ right }) => right).length}/${all.length}`];
      }),
    ),
    falseAlarms: wrong("benign").length,
    missed: wrong("suspicious"),
    alarmed: wrong("benign"),
    ...watch.quantiles(),
  };
}

function scanCase({ server, tool, baseline, existing }: ScanCase): Scan {
  const candidate = readTool(tool, server);
  if (candidate === null) return toScan([{ name: "invalid-name", text: "it has no name", where: "name" }]);
  const others = existing.map((other) => toTool({ ...other, source: "mcp" }));
  const { entries } = buildCatalog([candidate, ...others]);
  const entry = entries.find((one) => one.tool === candidate);
  if (entry === undefined) throw new Error("a catalog keeps every tool");
  const signals: Signal[] = [];
  // Of two look-alikes the later one is hidden; here the question is whether anybody could mistake this one.
  const copied = entries.find(({ lookAlikeOf }) => lookAlikeOf === entry.identity);
  if (copied !== undefined && entry.lookAlikeOf === null)
    signals.push({
      name: "confusable-name",
      text: `its name looks like ${JSON.stringify(copied.identity)}`,
      where: "name",
    });
  const approved = baseline === null ? null : readTool(baseline, server);
  if (approved !== null && !isAsPinned(toPinnedSignature(approved), entry.tool))
    signals.push({ name: "definition-changed", text: "it is not what was approved", where: "definition" });
  return toScan([...signals, ...scanEntry(entry).signals]);
}

function readTool(raw: unknown, server: string): Tool | null {
  return toTools([raw], { server, group: null, defer: "auto", timeout: null }).tools[0] ?? null;
}

/** Suspicious: at least as strict as expected, where re-approve and quarantine are alike. Benign: exactly. */
function isRight({ label, expect, alsoOk }: ScanCase, action: Action): boolean {
  if (expect === null) return true;
  if (label !== "suspicious" || !isAction(expect)) return action === expect || alsoOk.includes(action);
  const level = (one: Action): number => strictness(one === "re-approve" ? "quarantine" : one);
  return level(action) >= level(expect);
}
