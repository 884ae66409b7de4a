/** How many consecutive lines make a drawing. */
const FEWEST_LINES = 4;
/** A line of a table or a rule between paragraphs has more letters, or is alone. */
const MOST_LETTERS = 0.1;
const SHORTEST_LINE = 8;

/** Whether a text contains a picture made of characters: a model may read it, and no judge of wording does. */
export function isDrawing(text: string): boolean {
  if (!text.includes("\n")) return false;
  let lines = 0;
  for (const line of text.split("\n")) {
    lines = isDrawn(line.trim()) ? lines + 1 : 0;
    if (lines >= FEWEST_LINES) return true;
  }
  return false;
}

function isDrawn(line: string): boolean {
  if (line.length < SHORTEST_LINE) return false;
  const letters = line.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  const signs = line.match(/[#_/\\|*@=█▀▄▌▐░▒▓'`.\-+]/gu)?.length ?? 0;
  return letters <= line.length * MOST_LETTERS && signs >= SHORTEST_LINE / 2;
}
