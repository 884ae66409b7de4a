import type { Decision } from "../../core/call/decision.ts";
import type { PathWorld } from "../../core/rules/paths.ts";
import { readRule } from "../../core/rules/rule.ts";
import { toCommandPattern } from "../../core/rules/shell/command-pattern.ts";
import { type Program, programOf, subOf } from "../../core/rules/shell/program.ts";
import { quoteWord } from "../../core/rules/shell/quote-word.ts";
import type { ShellReader } from "../../system/shell/read-command-line.ts";
import type { ClientRule } from "./client-rule.ts";
import { compileClientRules } from "./read-client-rules.ts";
import { judgeSample } from "./sample-call.ts";
import { MATCHERS, tricked } from "./tricks.ts";

/** Lines that a client's own matcher takes for something else than the author of the rule meant, as our grammar reads them. */
export interface Leak {
  readonly rule: ClientRule;
  /** The client's version that did so. */
  readonly version: string;
  readonly lines: readonly { readonly line: string; readonly why: string }[];
}

/** What allow rules let through besides, and what deny rules do not stop, where each rule stands alone. */
export async function findLeaks(
  rules: readonly ClientRule[],
  shell: ShellReader,
  world: PathWorld,
): Promise<readonly Leak[]> {
  const leaks: Leak[] = [];
  for (const rule of rules) {
    const matcher = MATCHERS[rule.client];
    const words = rule.rules.map(prefixOf).find((found) => found !== null) ?? null;
    if (matcher === undefined || words === null || rule.list === "ask") continue;
    const alone = await compileClientRules([rule], world);
    const judge = (line: string): Decision =>
      judgeSample({ kind: "command", line }, alone, shell, { ...world, allowReadOnly: true });
    const plain = words.map(quoteWord).join(" ");
    if (judge(plain).decision !== rule.list) continue;
    const isOpen =
      matcher.options === "all" || matcher.options.some((command) => `${plain} `.startsWith(`${command} `));
    const tricks = rule.list === "deny" ? matcher.misses : matcher.lets;
    const written = [
      ...(isOpen && rule.list === "allow" ? riskyLines(words) : []),
      ...tricks.map((trick) => tricked(plain, trick)).filter((line) => line !== plain),
    ];
    const lines = written.flatMap((line) => {
      const { decision, text } = judge(line);
      const isOther = rule.list === "allow" ? decision !== "allow" : decision === "deny";
      return isOther ? [{ line, why: text }] : [];
    });
    if (lines.length > 0) leaks.push({ rule, version: matcher.version, lines });
  }
  return leaks;
}

/** The words of a rule for commands that begin with them. */
function prefixOf(text: string): readonly string[] | null {
  const rule = readRule(text);
  if (rule?.tool !== "Bash" || rule.specifier === null) return null;
  const pattern = toCommandPattern(rule.specifier);
  return pattern.kind === "prefix" && pattern.words.length > 0 ? pattern.words : null;
}

/** What an option's value can be that runs something, and what writes a file besides. */
const RUNS: ReadonlySet<unknown> = new Set([
  ...["shell-line", "program", "program-in-one-word", "command-line", "code-loaded"],
]);
const WRITES: ReadonlySet<unknown> = new Set(["file-written-with-rule"]);

/** The command with an option that runs something, and with one that writes a file, as far as the table of the program names such. */
function riskyLines(words: readonly string[]): readonly string[] {
  const program = tableOf(words);
  if (program === null) return [];
  const line = words.map(quoteWord).join(" ");
  return [[RUNS, "./other"] as const, [WRITES, "notes.txt"] as const].flatMap(([kinds, value]) => {
    const option = [...program.options.values()].find(({ values }) => values.length === 1 && kinds.has(values[0]));
    if (option === undefined) return [];
    return [`${line} ${option.name}${option.name.startsWith("--") ? "=" : " "}${value}`];
  });
}

function tableOf([name = "", ...rest]: readonly string[]): Program | null {
  let table = programOf(name);
  for (const word of rest) {
    const sub = table === null ? null : subOf(table, word);
    if (sub === null) break;
    table = sub;
  }
  return table;
}
