import { resolve } from "node:path";
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
      Object.entries(summary)
        .map(([name, value]) => `${name.padEnd(12)}  ${Array.isArray(value) ? value.join(" ") || "-" : value}\n`)
        .join(""),
    );
  return 0;
}
