import { bindLoop, noteFunction, noteGiven } from "./bindings.ts";
import { type Cursor, isBlank, note, type ScannedCommand, type ScannedWord, skipBlanks } from "./cursor.ts";
import { expandBraces, type MarkedText } from "./expand-braces.ts";
import { isCounted, noteCondition } from "./scan-evaluated.ts";
import { scanArithmetic } from "./scan-expansion.ts";
import { IN_CONDITION, type RawWord, scanWord, toScannedWord } from "./scan-word.ts";

/** Reads the patterns of one arm up to its `)`, or the `esac` that ends the command. The cursor is before them. */
export function scanCase(cursor: Cursor): "pattern" | "esac" {
  skipLines(cursor);
  if (cursor.text[cursor.at] === "(") cursor.at += 1;
  for (let first = true; ; first = false) {
    skipLines(cursor);
    const character = cursor.text[cursor.at];
    if (character === undefined) {
      note(cursor, "syntax", "esac is missing");
      return "esac";
    }
    const { start, end } = scanWord(cursor);
    if (first && cursor.text.slice(start, end) === "esac") return "esac";
    if (start !== end) continue;
    cursor.at += 1;
    if (character === ")") return "pattern";
    if (character !== "|") note(cursor, "syntax", "a case pattern that cannot be read");
  }
}

/** The word after `case`, and the `in` that follows. */
export function scanCaseHead(cursor: Cursor): void {
  skipBlanks(cursor);
  scanWord(cursor);
  skipLines(cursor);
  if (writtenWord(cursor) !== "in") note(cursor, "syntax", "case without in");
}

/** The variable of a loop: whether it is numeric, and what else is known of its values. */
interface LoopHead {
  readonly name: string;
  readonly isCounter: boolean;
  readonly binding: number | null;
}

/** The text between `for` or `select` and its body. */
export function scanFor(cursor: Cursor, keyword: string): LoopHead | null {
  const { findings } = cursor;
  findings.repeats = true;
  skipBlanks(cursor);
  if (cursor.text.startsWith("((", cursor.at) && scanArithmetic(cursor, 2)) {
    note(cursor, "expansion", "a for loop over arithmetic");
    return null;
  }
  const name = writtenWord(cursor);
  findings.loopVariables.push(name);
  noteGiven(findings, name);
  skipLines(cursor);
  const values = scanValues(cursor);
  const isCounter = isCounted(values.map(({ start, end }) => cursor.text.slice(start, end)));
  if (!isCounter) findings.mixed.add(name);
  const isPlain = keyword === "for" && /^[\s;]*do\s/.test(cursor.text.slice(cursor.at, cursor.at + 64));
  const texts = values
    .map((value) => expandBraces(value, findings))
    .flatMap((one): readonly (MarkedText | null)[] => one ?? [null]);
  const binding = isPlain && texts.every((one) => one !== null) ? bindLoop(findings, name, texts) : null;
  return { name, isCounter, binding };
}

function scanValues(cursor: Cursor): readonly RawWord[] {
  const values: RawWord[] = [];
  if (!/^in[ \t\n;]/.test(cursor.text.slice(cursor.at, cursor.at + 3))) return values;
  cursor.at += 2;
  for (;;) {
    skipBlanks(cursor);
    const character = cursor.text[cursor.at];
    if (character === undefined || character === ";" || character === "\n") return values;
    const value = scanWord(cursor);
    values.push(value);
    if (value.start !== value.end) continue;
    note(cursor, "syntax", "the values of a loop cannot be read");
    return values;
  }
}

function writtenWord(cursor: Cursor): string {
  const { start, end } = scanWord(cursor);
  return cursor.text.slice(start, end);
}

/** The name after `function`, and the `()` that may follow. */
export function scanFunction(cursor: Cursor): void {
  cursor.findings.repeats = true;
  noteFunction(cursor.findings);
  skipBlanks(cursor);
  scanWord(cursor);
  const [call] = /^[ \t]*\([ \t]*\)/.exec(cursor.text.slice(cursor.at, cursor.at + 64)) ?? [];
  cursor.at += call?.length ?? 0;
}

/** Everything from after `[[` to `]]`, as one command named `[[`. */
export function scanCondition(cursor: Cursor, start: number): ScannedCommand {
  const word = (text: string, from: number): ScannedWord => {
    return { text, isStatic: true, hasGlob: false, hasTilde: false, start: from, end: cursor.at };
  };
  const words: ScannedWord[] = [word("[[", start)];
  for (;;) {
    skipLines(cursor);
    const at = cursor.at;
    const character = cursor.text[at];
    if (character === undefined) {
      note(cursor, "syntax", "]] is missing");
      break;
    }
    const isProcess = (character === "<" || character === ">") && cursor.text[at + 1] === "(";
    if ("()<>&|!;".includes(character) && !isProcess && isBlank(cursor.text[at + 1] ?? " ")) {
      cursor.at += 1;
      words.push(word(character, at));
      continue;
    }
    if (/^(?:&&|\|\|)/.test(cursor.text.slice(at, at + 2))) {
      cursor.at += 2;
      words.push(word(cursor.text.slice(at, at + 2), at));
      continue;
    }
    const raw = scanWord(cursor, IN_CONDITION);
    if (raw.start === raw.end) cursor.at += 1;
    words.push(toScannedWord(raw));
    if (cursor.text.slice(raw.start, raw.end) === "]]") break;
  }
  noteCondition({ ...cursor, offset: 0 }, words);
  return {
    words,
    assignments: [],
    redirections: [],
    piped: false,
    start: cursor.offset === null ? null : cursor.offset + start,
  };
}

/** Blanks, line ends and comments between the parts of a compound command. */
function skipLines(cursor: Cursor): void {
  for (;;) {
    skipBlanks(cursor);
    const character = cursor.text[cursor.at];
    if (character === "\n") cursor.at += 1;
    else if (character === "#") {
      const end = cursor.text.indexOf("\n", cursor.at);
      cursor.at = end === -1 ? cursor.text.length : end;
    } else return;
  }
}
