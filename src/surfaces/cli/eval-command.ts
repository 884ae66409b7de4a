import { resolve } from "node:path";
import { parseWord, usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import { toJson } from "./escape-text.ts";
import { parseCount } from "./parse-count.ts";

const KINDS = ["search", "rules", "scan", "tokens"] as const;

/** `toolcrib eval KIND`: measures on files; the code of each kind is loaded only to run it. */
export async function runEval(input: CommandInput): Promise<number> {
  const kind = parseWord("what to measure", input.args.operands[0] ?? "", KINDS);
  const [, extra] = input.args.operands;
  if (extra !== undefined && kind !== "tokens") throw usage(`eval ${kind} has no use for ${JSON.stringify(extra)}`);
  switch (kind) {
    case "search":
      return evalSearchFiles(input);
    case "rules":
      return (await import("./eval-rules-command.ts")).runEvalRules(input);
    case "scan":
      return (await import("./eval-scan-command.ts")).runEvalScan(input);
    case "tokens":
      return (await import("./eval-tokens-command.ts")).runEvalTokens(input);
  }
}

async function evalSearchFiles({ io, args }: CommandInput): Promise<number> {
  const file = (name: "catalog" | "queries") => {
    const [shown = null, second] = args.values(name);
    if (second !== undefined) throw usage(`eval search takes one --${name}`);
    if (shown === null) throw usage(`eval search needs --${name} FILE`);
    return { path: resolve(io.cwd, shown), shown };
  };
  const catalog = file("catalog");
  const queries = file("queries");
  const limit = parseCount("--limit", args.value("limit"), 100) ?? 10;
  const { evalSearch } = await import("../eval/eval-search.ts");
  const lines: string[] = [];
  const summary = evalSearch({
    catalog,
    queries,
    limit,
    now: () => performance.now(),
    onResult: (id, results) => lines.push(toJson({ id, results }, false)),
  });
  if (args.has("json")) io.out(`${lines.join("")}${toJson({ summary }, false)}`);
  else
    io.out(
      Object.entries(summary)
        .map(([name, value]) => `${name.padEnd(10)}  ${value}\n`)
        .join(""),
    );
  return 0;
}
