import { scanDefinition } from "./scan-definition.ts";
import { type Signal, strictness, toScan } from "./signal.ts";

/** The part of a text that can be shown to a model, and why the rest cannot. */
export interface ScannedText {
  readonly text: string;
  /** One for each omitted passage, with its first line. */
  readonly leftOut: readonly (Signal & { readonly line: number })[];
}

/**
 * Scans a project's text like a definition, except for its tone. Passages that are surely harmful are left out; if only
 * the whole reveals it, nothing is left.
 */
export function scanText(text: string): ScannedText {
  const passages = text.split(PASSAGES);
  // One sentence may be split over two list items, to look harmless in each.
  const alone = passages.map(find);
  const pairs = passages.slice(1).map((next, at) => {
    if (alone[at] || alone[at + 1]) return null;
    return find(`${withoutPoint(passages[at] ?? "")} ${withoutPoint(next)}`);
  });
  const leftOut: (Signal & { line: number })[] = [];
  let line = 1;
  const kept = passages.flatMap((passage, at) => {
    const begins = line;
    line += passage.split("\n").length - 1;
    const signal = alone[at] ?? pairs[at - 1] ?? pairs[at] ?? null;
    if (signal === null) return [passage];
    leftOut.push({ ...signal, line: begins + (/^\n*/.exec(passage)?.[0].length ?? 0) });
    return [];
  });
  const rest = kept.join("");
  const still = find(rest);
  return still === null ? { text: rest, leftOut } : { text: "", leftOut: [...leftOut, { ...still, line: 1 }] };
}

function withoutPoint(passage: string): string {
  return passage.trim().replace(/^(?:[-*+#]+|\d+[.)])\s+/, "");
}

/** Before a blank line, a list item or a heading. */
const PASSAGES = /(?=\n\s*\n)|(?=\n\s*(?:[-*+#]|\d+[.)])\s)/;

/**
 * Project instructions give orders by nature, in words that no tool definition should have. Sentences of honest files
 * weighed up to 35, and up to 60 if they are about models and their tools; attacks weigh 50 to 150.
 */
const SURE = 60;

const CLAIMS_NOTHING = { readOnly: false, harmless: false, closedWorld: false };

/** The first finding that quarantines a tool until a person has looked. */
function find(text: string): Signal | null {
  const definition = {
    name: "instructions",
    title: null,
    inputSchema: null,
    outputSchema: null,
    claims: CLAIMS_NOTHING,
  };
  const signals = scanDefinition({ ...definition, description: text }, SURE);
  return signals.find((signal) => strictness(toScan([signal]).action) >= strictness("quarantine")) ?? null;
}
