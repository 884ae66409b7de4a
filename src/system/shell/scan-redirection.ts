import { UNKNOWN_TEXT } from "../../core/rules/shell/command-line.ts";
import { type Cursor, descend, note, type ScannedRedirection, skipBlanks } from "./cursor.ts";
import { expandBraces } from "./expand-braces.ts";
import { scanBackquotes, scanDollar } from "./scan-expansion.ts";
import { scanWord, toScannedWord } from "./scan-word.ts";

/** A here-document whose body starts on the next line. */
export interface PendingDocument {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly stripsTabs: boolean;
  /** Filled in when the body is read. */
  readonly redirection: { operator: string; isProcess: boolean; target: ScannedRedirection["target"] };
}

const OPERATOR = /&>>|&>|<<<|<<-|<<|<&|<>|<|>>|>\||>&|>/y;

/** The cursor is at the operator, after the descriptor if there is one. */
export function scanRedirection(cursor: Cursor, pending: PendingDocument[]): ScannedRedirection | null {
  OPERATOR.lastIndex = cursor.at;
  const [operator] = OPERATOR.exec(cursor.text) ?? [];
  if (operator === undefined) {
    cursor.at += 1;
    return null;
  }
  cursor.at += operator.length;
  skipBlanks(cursor);
  const raw = scanWord(cursor);
  const isNumber = /^\d+$/.test(raw.text) && /[<>]/.test(cursor.text[cursor.at] ?? "");
  if (raw.start === raw.end || isNumber) note(cursor, "syntax", `nothing follows ${operator}`);
  if (expandBraces(raw, cursor.findings)?.length !== 1) note(cursor, "syntax", "a redirection to several files");
  if (operator !== "<<" && operator !== "<<-")
    return {
      operator,
      isProcess: /^[<>]\(.*\)$/s.test(cursor.text.slice(raw.start, raw.end)),
      target: toScannedWord(raw),
    };
  const redirection = {
    operator,
    isProcess: false,
    target: { text: "", isStatic: true, hasGlob: false, hasTilde: false },
  };
  const quoted = /['"\\$`]/.test(cursor.text.slice(raw.start, raw.end));
  if (/[^uq]/.test(raw.marks)) note(cursor, "syntax", "a here-document whose delimiter is not plain text");
  pending.push({ delimiter: raw.text, quoted, stripsTabs: operator === "<<-", redirection });
  return redirection;
}

/** The cursor is after the line end at which the bodies start. */
export function scanDocuments(cursor: Cursor, pending: PendingDocument[]): void {
  for (const document of pending.splice(0)) {
    const start = cursor.at;
    const end = findDelimiter(cursor, document);
    const body = cursor.text.slice(start, end);
    const expands = !document.quoted && /[$`\\]/.test(body);
    if (expands) scanBody(cursor, body, start);
    if (/[$`]/.test(body)) cursor.findings.hidden.push(body);
    document.redirection.target = {
      text: expands ? `${UNKNOWN_TEXT}${body}` : body,
      isStatic: !expands,
      hasGlob: false,
      hasTilde: false,
    };
  }
}

/** The end of the body; the cursor moves past the delimiter line. */
function findDelimiter(cursor: Cursor, { delimiter, stripsTabs }: PendingDocument): number {
  while (cursor.at < cursor.text.length) {
    const start = cursor.at;
    const lineEnd = cursor.text.indexOf("\n", start);
    const end = lineEnd === -1 ? cursor.text.length : lineEnd;
    const line = cursor.text.slice(start, end);
    cursor.at = lineEnd === -1 ? end : end + 1;
    if ((stripsTabs ? line.replace(/^\t+/, "") : line) === delimiter) {
      // The line end stays, so that it also ends the command.
      if (lineEnd !== -1) cursor.at = end;
      return start;
    }
  }
  note(cursor, "syntax", `the here-document is not ended by ${JSON.stringify(delimiter)}`);
  return cursor.text.length;
}

function scanBody(cursor: Cursor, body: string, start: number): void {
  if (body.includes("\\\n")) note(cursor, "syntax", "a here-document with joined lines");
  const offset = cursor.offset === null ? null : cursor.offset + start;
  descend(cursor, body, offset, (inner) => {
    while (inner.at < inner.text.length) {
      const character = inner.text[inner.at];
      if (character === "\\") inner.at += 2;
      else if (character === "`") scanBackquotes(inner, true);
      else if (character !== "$" || !scanDollar(inner, true)) inner.at += 1;
    }
  });
}
