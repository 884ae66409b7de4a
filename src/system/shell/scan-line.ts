import { createFindings, type Findings, type ScannedCommand } from "./cursor.ts";
import { scanList } from "./scan-commands.ts";

/** Everything that is found in one text. */
export function scanLine(text: string): Findings {
  const findings = createFindings();
  scanList({ text, at: 0, offset: 0, depth: 0, findings, scanList }, null);
  if (findings.arithmeticNames && setsVariables(findings))
    findings.problems.set("expansion", "arithmetic over variables that the line sets itself");
  return findings;
}

/** The same form as the tree's: where each word stands. Null for what the tree does not show as a command. */
export function signatureOf({ words, assignments, start }: ScannedCommand): string | null {
  const [name] = words;
  if (name === undefined || start === null) return null;
  if (name.text === "[[" || name.text === "[") return `${start}`;
  const spans = [...assignments, ...words].map(({ start: from, end }) => `${from}-${end}`);
  return [...new Set(spans)].join(",");
}

const SETTERS = new Set([
  "read",
  "mapfile",
  "readarray",
  "printf",
  "export",
  "declare",
  "typeset",
  "local",
  "readonly",
  "let",
  "getopts",
]);

function setsVariables({ commands, loopVariables }: Findings): boolean {
  return (
    loopVariables.length > 0 ||
    commands.some(({ words, assignments }) => assignments.length > 0 || SETTERS.has(words[0]?.text ?? ""))
  );
}
