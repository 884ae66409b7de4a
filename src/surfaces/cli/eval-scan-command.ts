import { resolve } from "node:path";
import { usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import { toJson } from "./escape-text.ts";

/** `toolcrib eval scan --cases FILE`: what the scanner makes of every definition, and how that compares. */
export async function runEvalScan({ io, args }: CommandInput): Promise<number> {
  const shown = args.value("cases");
  if (shown === null) throw usage("eval scan needs --cases FILE");
  const { evalScan } = await import("../eval/scan/eval-scan.ts");
  const lines: string[] = [];
  const summary = evalScan({
    path: resolve(io.cwd, shown),
    shown,
    now: () => performance.now(),
    onScan: (id, { action, signals }) => lines.push(toJson({ id, action, signals }, false)),
  });
  if (args.has("json")) io.out(`${lines.join("")}${toJson({ summary }, false)}`);
  else
    io.out(
      Object.entries(summary)
        .map(([name, value]) => `${name.padEnd(12)}  ${toText(value)}\n`)
        .join(""),
    );
  return 0;
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return value.join(" ") || "-";
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}
