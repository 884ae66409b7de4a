import { resolve } from "node:path";
import { usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import { toJson } from "./escape-text.ts";
import { formatTable } from "./table.ts";

/** `toolcrib eval tokens`: what definitions cost inline and deferred, per dialect. */
export async function runEvalTokens({ io, args }: CommandInput): Promise<number> {
  const shown = [...args.values("catalog"), ...args.operands.slice(1)];
  if (shown.length === 0) throw usage("eval tokens needs --catalog FILE");
  const { evalTokens } = await import("../eval/eval-tokens.ts");
  const { loadTokenCounter } = await import("../eval/token-counter.ts");
  const files = shown.map((file) => ({ path: resolve(io.cwd, file), shown: file }));
  const report = evalTokens(files, await loadTokenCounter());
  if (args.has("json")) {
    io.out(toJson(report, io.isTTY));
    return 0;
  }
  const rows = report.dialects.map(({ dialect, inline, deferred, share }) => [
    dialect,
    String(inline),
    String(deferred),
    `${(100 * share).toFixed(1)} %`,
  ]);
  const columns = [
    { heading: "DIALECT" },
    ...["INLINE", "DEFERRED", "SHARE"].map((heading) => ({ heading, align: "right" as const })),
  ];
  const table = formatTable(columns, rows, io.columns);
  io.out(`${table.join("\n")}\n\n${report.tools} tools, tokens by ${report.tokenizer}\n`);
  return 0;
}
