import { scanDefinition } from "./scan-definition.ts";
import { type Signal, strictness, toScan } from "./signal.ts";

/** What of a text can be shown to a model, and why the rest cannot. */
export interface ScannedText {
  readonly text: string;
  /** One for each passage that is left out, with the line it begins in. */
  readonly leftOut: readonly (Signal & { readonly line: number })[];
}

/**
 * Reads a text of a project as it would read a definition. Passages that a tool would be held back for are left out; where
 * only the whole gives it away, nothing is left.
 */
export function scanText(text: string): ScannedText {
  if (find(text) === null) return { text, leftOut: [] };
  const leftOut: (Signal & { line: number })[] = [];
  let line = 1;
  const kept = text.split(PASSAGES).flatMap((passage) => {
    const begins = line;
    line += passage.split("\n").length - 1;
    const signal = find(passage);
    if (signal === null) return [passage];
    leftOut.push({ ...signal, line: begins + (/^\n*/.exec(passage)?.[0].length ?? 0) });
    return [];
  });
  const rest = kept.join("");
  const still = find(rest);
  return still === null ? { text: rest, leftOut } : { text: "", leftOut: [...leftOut, { ...still, line: 1 }] };
}

/** Before a blank line, a point of a list or a heading. */
const PASSAGES = /(?=\n\s*\n)|(?=\n\s*(?:[-*+#]|\d+[.)])\s)/;

const CLAIMS_NOTHING = { readOnly: false, harmless: false, closedWorld: false };

/** The first thing in it that keeps a tool away until a person has looked. */
function find(text: string): Signal | null {
  const definition = {
    name: "instructions",
    title: null,
    inputSchema: null,
    outputSchema: null,
    claims: CLAIMS_NOTHING,
  };
  const signals = scanDefinition({ ...definition, description: text });
  return signals.find((signal) => strictness(toScan([signal]).action) >= strictness("quarantine")) ?? null;
}
