import { resolve } from "node:path";
import { toJson } from "../../../system/text/escape-text.ts";
import type { RuleSummary } from "../../eval/rules/eval-rules.ts";
import { parseWord, usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { parseCount } from "../command-line/number-options.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { formatTable } from "../terminal/table.ts";

const KINDS = ["search", "rules", "scan", "tokens"] as const;
type EvalKind = (typeof KINDS)[number];

/** `toolcrib eval KIND`: measures on files; the code of each kind is loaded only to run it. */
export async function runEval(input: CommandInput): Promise<number> {
  const [word = "", extra] = input.args.operands;
  const kind = parseWord("what to measure", word, KINDS);
  if (extra !== undefined && kind !== "tokens") throw usage(`eval ${kind} has no use for ${JSON.stringify(extra)}`);
  await MEASURES[kind](input);
  return 0;
}

const MEASURES: Readonly<Record<EvalKind, (input: CommandInput) => Promise<void>>> = {
  search: evalSearchFiles,
  rules: evalRuleCases,
  scan: evalDefinitions,
  tokens: evalTokenCosts,
};

const now = (): number => performance.now();

async function evalSearchFiles(input: CommandInput): Promise<void> {
  const files = { catalog: fileOf(input, "search", "catalog"), queries: fileOf(input, "search", "queries") };
  const limit = parseCount("--limit", input.args.value("limit"), 100) ?? 10;
  const { evalSearch } = await import("../../eval/eval-search.ts");
  const { shippedRequests } = await import("../../../system/shipped-requests.ts");
  const book = input.args.has("without-requests") ? null : shippedRequests();
  const rows: object[] = [];
  const summary = evalSearch({ ...files, limit, book, now, onResult: (id, results) => rows.push({ id, results }) });
  printSummary(input, rows, summary, formatSummary(summary, 10));
}

async function evalRuleCases(input: CommandInput): Promise<void> {
  const { path, shown } = fileOf(input, "rules", "cases");
  const { readEvalFile } = await import("../../eval/read-lines.ts");
  const { evalRules } = await import("../../eval/rules/eval-rules.ts");
  const rows: object[] = [];
  const summary = await evalRules({
    ...{ text: readEvalFile(path, shown), file: shown, now },
    onDecision: (id, { decision, code, text }) => rows.push({ id, decision, code, text }),
  });
  const shortened = { ...summary, categories: Object.keys(summary.categories) };
  printSummary(input, rows, summary, formatSummary(shortened, 12) + formatCategories(summary));
}

async function evalDefinitions(input: CommandInput): Promise<void> {
  const file = fileOf(input, "scan", "cases");
  const { evalScan } = await import("../../eval/scan/eval-scan.ts");
  const rows: object[] = [];
  const onScan: Parameters<typeof evalScan>[0]["onScan"] = (id, { action, signals }) =>
    rows.push({ id, action, signals });
  const summary = evalScan({ ...file, now, onScan });
  printSummary(input, rows, summary, formatSummary(summary, 12));
}

async function evalTokenCosts(input: CommandInput): Promise<void> {
  const { io, args } = input;
  const shown = [...args.values("catalog"), ...args.operands.slice(1)];
  if (shown.length === 0) throw usage("eval tokens needs --catalog FILE");
  const { evalTokens } = await import("../../eval/eval-tokens.ts");
  const { loadTokenCounter } = await import("../../eval/token-counter.ts");
  const files = shown.map((file) => ({ path: resolve(io.cwd, file), shown: file }));
  const report = evalTokens(files, await loadTokenCounter());
  const rows = report.dialects.map(({ dialect, inline, deferred, share }) =>
    [dialect, inline, deferred, `${(100 * share).toFixed(1)} %`].map(String),
  );
  const numbers = ["INLINE", "DEFERRED", "SHARE"].map((heading) => ({ heading, align: "right" as const }));
  printAnswer(input, report, () => {
    const table = formatTable([{ heading: "DIALECT" }, ...numbers], rows, io.columns);
    return `${table.join("\n")}\n\n${report.tools} tools, tokens by ${report.tokenizer}\n`;
  });
}

/** The one file that an option names. */
function fileOf({ io, args }: CommandInput, kind: EvalKind, option: "catalog" | "queries" | "cases") {
  const [shown, second] = args.values(option);
  if (second !== undefined) throw usage(`eval ${kind} takes one --${option}`);
  if (shown === undefined) throw usage(`eval ${kind} needs --${option} FILE`);
  return { path: resolve(io.cwd, shown), shown };
}

/** With `--json` a line for each case and a last one with the summary. */
function printSummary({ io, args }: CommandInput, rows: readonly object[], summary: object, text: string): void {
  io.out(args.has("json") ? [...rows, { summary }].map((row) => toJson(row, false)).join("") : text);
}

function formatSummary(summary: object, width: number): string {
  const toText = (value: unknown): string => {
    if (Array.isArray(value)) return value.join(" ") || "-";
    if (typeof value !== "object" || value === null) return String(value);
    return Object.entries(value)
      .map(([name, count]) => `${name} ${count}`)
      .join(", ");
  };
  return Object.entries(summary)
    .map(([name, value]) => `${name.padEnd(width)}  ${toText(value)}\n`)
    .join("");
}

/** One row for each category. */
function formatCategories({ categories }: RuleSummary): string {
  const rows = Object.entries(categories);
  if (rows.length === 0) return "";
  const width = Math.max(...rows.map(([name]) => name.length));
  const columns = ["cases", "right", "escapes", "denyWeakened", "overBlocked"] as const;
  const toLine = (name: string, cells: readonly (string | number)[]): string =>
    `${name.padEnd(width)}  ${cells.map((cell, at) => String(cell).padStart(columns[at]?.length ?? 0)).join("  ")}\n`;
  const toCells = (counts: RuleSummary["categories"][string]) => columns.map((column) => counts[column]);
  return `\n${toLine("category", columns)}${rows.map(([name, counts]) => toLine(name, toCells(counts))).join("")}`;
}
