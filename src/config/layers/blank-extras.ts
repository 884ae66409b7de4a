/** Comments and commas before a closing bracket become blanks, so that everything else keeps its position. Linear. */
export function blankExtras(text: string): string {
  return blankCommas(blankComments(text));
}

export function blankComments(text: string): string {
  const pieces: string[] = [];
  let kept = 0;
  // Once no end of a comment was found, none comes later either.
  let mayEnd = true;
  const marks = /["/]/g;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const from = mark.index;
    const opening = text.slice(from, from + 2);
    let end: number | null = null;
    if (opening === "//") end = orEnd(text.indexOf("\n", from), text);
    else if (opening === "/*" && mayEnd) {
      const close = text.indexOf("*/", from + 2);
      mayEnd = close !== -1;
      end = mayEnd ? close + 2 : null;
    }
    if (end !== null) {
      pieces.push(text.slice(kept, from), text.slice(from, end).replace(/[^\n]/g, " "));
      kept = end;
    }
    marks.lastIndex = end ?? (mark[0] === '"' ? stringEnd(text, from) : from + 1);
  }
  return kept === 0 ? text : pieces.join("") + text.slice(kept);
}

function blankCommas(text: string): string {
  const pieces: string[] = [];
  let kept = 0;
  let comma: number | null = null;
  const marks = /\S/g;
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const [letter] = mark;
    if ((letter === "}" || letter === "]") && comma !== null) {
      pieces.push(text.slice(kept, comma), " ");
      kept = comma + 1;
    }
    comma = letter === "," ? mark.index : null;
    if (letter === '"') marks.lastIndex = stringEnd(text, mark.index);
  }
  return kept === 0 ? text : pieces.join("") + text.slice(kept);
}

/** After the closing quote of a string; if the line has none, at its end. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const letter = text[at];
    if (letter === '"') return at + 1;
    if (letter === "\n") return at;
    if (letter === "\\" && text[at + 1] !== "\n") at++;
  }
  return text.length;
}

function orEnd(found: number, text: string): number {
  return found === -1 ? text.length : found;
}
