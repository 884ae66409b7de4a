import { scanDefinition } from "./scan-definition.ts";
import { type Signal, strictness, toScan } from "./signal.ts";

/** What of a text can be shown to a model, and why the rest cannot. */
export interface ScannedText {
  readonly text: string;
  /** One for each passage that is left out, with the line it begins in. */
  readonly leftOut: readonly (Signal & { readonly line: number })[];
}

/**
 * Reads a text of a project as it would read a definition, but for its tone. Passages that are surely meant to harm are left
 * out; where only the whole gives it away, nothing is left.
 */
export function scanText(text: string): ScannedText {
  const passages = text.split(PASSAGES);
  // One sentence may be spread over two points, to look harmless in each.
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

/** Before a blank line, a point of a list or a heading. */
const PASSAGES = /(?=\n\s*\n)|(?=\n\s*(?:[-*+#]|\d+[.)])\s)/;

/**
 * What a project tells agents gives orders by its nature, in words that no definition of a tool should have. Sentences of
 * honest files weighed up to 35, and up to 60 where they speak of models and their tools; attacks weigh 50 to 150.
 */
const SURE = 60;

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
  const signals = scanDefinition({ ...definition, description: text }, SURE);
  return signals.find((signal) => strictness(toScan([signal]).action) >= strictness("quarantine")) ?? null;
}
