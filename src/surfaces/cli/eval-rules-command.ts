import { resolve } from "node:path";
import type { RuleSummary } from "../eval/rules/eval-rules.ts";
import { usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import { toJson } from "./escape-text.ts";

/** `toolcrib eval rules --cases FILE`: decides every case, and sums up how that compares with what is expected. */
export async function runEvalRules({ io, args }: CommandInput): Promise<number> {
  const file = args.value("cases");
  if (file === null) throw usage("eval rules needs --cases FILE");
  const { readText } = await import("../eval/read-lines.ts");
  const { evalRules } = await import("../eval/rules/eval-rules.ts");
  const lines: string[] = [];
  const summary = await evalRules({
    text: readText(resolve(io.cwd, file), file),
    file,
    now: () => performance.now(),
    onDecision: (id, { decision, code, text }) => lines.push(toJson({ id, decision, code, text }, false)),
  });
  if (args.has("json")) io.out(`${lines.join("")}${toJson({ summary }, false)}`);
  else
    io.out(
      Object.entries({ ...summary, categories: Object.keys(summary.categories) })
        .map(([name, value]) => `${name.padEnd(12)}  ${Array.isArray(value) ? value.join(" ") || "-" : value}\n`)
        .join("") + formatCategories(summary),
    );
  return 0;
}

/** One row for each category. */
function formatCategories({ categories }: RuleSummary): string {
  const rows = Object.entries(categories);
  if (rows.length === 0) return "";
  const width = Math.max(...rows.map(([name]) => name.length));
  const columns = ["cases", "right", "escapes", "denyWeakened", "overBlocked"] as const;
  const toLine = (name: string, cells: readonly (string | number)[]): string =>
    `${name.padEnd(width)}  ${cells.map((cell, at) => String(cell).padStart(columns[at]?.length ?? 0)).join("  ")}\n`;
  const lines = rows.map(([name, counts]) =>
    toLine(
      name,
      columns.map((column) => counts[column]),
    ),
  );
  return `\n${toLine("category", columns)}${lines.join("")}`;
}
