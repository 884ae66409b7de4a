/**
 * Text with one mark per character: `u` unquoted, `q` quoted, `d` only known to the shell, `D` also possibly several
 * words, `o` only known to the shell and no option; others are bindings whose values are filled in later.
 */
export interface MarkedText {
  readonly text: string;
  readonly marks: string;
}

/** More words of one brace expression are not worth distinguishing. */
const MAX_WORDS = 64;
/** Characters examined in one line, and the cost of each word; beyond that the words are unknown. */
const MAX_LOOKED_AT = 60_000;
const WORD_COST = 30;

/**
 * Expands `{a,b}` and `{1..3}` like bash, left to right, nested ones too. Null if there would be too many, or for
 * ranges of letters: the words are then unknown.
 */
export function expandBraces(word: MarkedText, spent: { expanded: number }): readonly MarkedText[] | null {
  if (!hasOpenBrace(word)) return [word];
  let pending: readonly MarkedText[] = [word];
  for (let round = 0; round < MAX_WORDS; round++) {
    let changed = false;
    const next: MarkedText[] = [];
    for (const one of pending) {
      spent.expanded += WORD_COST + one.text.length;
      if (spent.expanded > MAX_LOOKED_AT) return null;
      const brace = findBrace(one);
      if (brace === "range") return null;
      if (brace === null) next.push(one);
      else {
        changed = true;
        next.push(...brace);
      }
      if (next.length > MAX_WORDS) return null;
    }
    if (!changed) return next;
    pending = next;
  }
  return null;
}

function hasOpenBrace({ text, marks }: MarkedText): boolean {
  for (let at = text.indexOf("{"); at !== -1; at = text.indexOf("{", at + 1)) if (marks[at] === "u") return true;
  return false;
}

/** The alternatives of the first brace expression with a comma; `range` for `{x..y}`; null if there is none. */
function findBrace(word: MarkedText): readonly MarkedText[] | "range" | null {
  const opens: { at: number; commas: number[] }[] = [];
  for (let at = 0; at < word.text.length; at++) {
    if (word.marks[at] !== "u") continue;
    const character = word.text[at];
    if (character === "{") opens.push({ at, commas: [] });
    else if (character === ",") opens.at(-1)?.commas.push(at);
    else if (character === "}") {
      const open = opens.pop();
      if (open === undefined) continue;
      if (open.commas.length > 0) return alternatives(word, open.at, open.commas, at);
      const inside = word.text.slice(open.at + 1, at);
      if (/^[^{}]+\.\.[^{}]+$/.test(inside)) return numbersOf(inside, word, open.at, at) ?? "range";
    }
  }
  return null;
}

/** `{1..3}`; null if there are too many numbers, or they are written in another way. */
function numbersOf(inside: string, { text, marks }: MarkedText, open: number, close: number) {
  const [, from, to] = /^(-?[1-9]\d{0,5}|0)\.\.(-?[1-9]\d{0,5}|0)$/.exec(inside)?.map(Number) ?? [];
  if (from === undefined || to === undefined || Math.abs(to - from) >= MAX_WORDS) return null;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, step): MarkedText => {
    const number = String(from + Math.sign(to - from) * step);
    return {
      text: text.slice(0, open) + number + text.slice(close + 1),
      marks: marks.slice(0, open) + "u".repeat(number.length) + marks.slice(close + 1),
    };
  });
}

function alternatives(word: MarkedText, open: number, commas: readonly number[], close: number): readonly MarkedText[] {
  const edges = [open, ...commas, close];
  return edges.slice(0, -1).map((edge, index) => {
    const end = edges[index + 1] ?? close;
    return {
      text: word.text.slice(0, open) + word.text.slice(edge + 1, end) + word.text.slice(close + 1),
      marks: word.marks.slice(0, open) + word.marks.slice(edge + 1, end) + word.marks.slice(close + 1),
    };
  });
}
