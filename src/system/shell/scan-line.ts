import { createFindings, type Findings, type ScannedCommand } from "./cursor.ts";
import { putValues } from "./put-values.ts";
import { scanList } from "./scan-commands.ts";
import { evaluates, numbersAtStart } from "./scan-evaluated.ts";

/** An unreadable line is denied as a whole, and its first commands are enough to name the rule. */
const FIRST_COMMANDS = 64;

/** All findings in one text. */
export function scanLine(text: string): Findings {
  const findings = createFindings();
  for (const name of numbersAtStart(text)) findings.counters.add(name);
  scanList({ text, at: 0, offset: 0, depth: 0, findings, known: new Map(), isFed: false, scanList }, null);
  if (findings.problems.has("unreadable")) findings.commands.splice(FIRST_COMMANDS);
  findings.evaluates = evaluates(findings);
  if (findings.evaluates && !findings.problems.has("expansion"))
    findings.problems.set("expansion", "it evaluates text that only the shell knows, which can run commands");
  return { ...findings, commands: [...putValues(findings)] };
}

/** The same form as the tree's: the span of each word. Null for what the tree does not show as a command. */
export function signatureOf({ words, assignments, start }: ScannedCommand): string | null {
  const [name] = words;
  if (name === undefined || start === null) return null;
  if (name.text === "[[" || name.text === "[") return `${start}`;
  // Words made by braces have the same span, one after the other.
  let spans = "";
  let last = -1;
  for (const all of [assignments, words])
    for (const { start: from, end } of all) {
      if (from !== last) spans += `${from}-${end},`;
      last = from;
    }
  return spans;
}
