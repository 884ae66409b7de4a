const PLAIN = /^[ -~]*$/;
/** East Asian wide and fullwidth characters; emoji are recognised by their property. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const ZERO = /^[\p{M}\p{Cf}]+$/u;
/** Longer clusters are stacks of accents, not characters: cut, so that they cannot cover the lines around them. */
const MAX_CLUSTER = 16;
const ELLIPSIS = "…";

let segmenter: Intl.Segmenter | null = null;

/** How many columns a terminal needs for a text without control characters. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const cluster of clustersOf(text)) width += clusterWidth(cluster);
  return width;
}

/** The text in at most `width` columns; what is cut ends in `…`. */
export function cutText(text: string, width: number): string {
  if (width <= 0) return "";
  if (PLAIN.test(text)) return text.length <= width ? text : text.slice(0, width - 1) + ELLIPSIS;
  let kept = "";
  let used = 0;
  let fitting = "";
  for (const cluster of clustersOf(text)) {
    used += clusterWidth(cluster);
    if (used > width) return fitting + ELLIPSIS;
    kept += cluster;
    if (used < width) fitting = kept;
  }
  return kept;
}

/** The same, with what stands last kept: the file and line of a long path. */
export function cutStart(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  let used = widthOf(ELLIPSIS);
  for (const cluster of [...clustersOf(text)].reverse()) {
    used += clusterWidth(cluster);
    if (used > width) break;
    kept = cluster + kept;
  }
  return width <= 0 ? "" : ELLIPSIS + kept;
}

/** Cut or padded with blanks to exactly `width` columns. */
export function fitText(text: string, width: number, side: "left" | "right" = "left"): string {
  const cut = cutText(text, width);
  const blanks = " ".repeat(Math.max(0, width - widthOf(cut)));
  return side === "left" ? cut + blanks : blanks + cut;
}

/** Whole words on lines of at most `width` columns; a word that is longer stands alone. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

function* clustersOf(text: string): Iterable<string> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  for (const { segment } of segmenter.segment(text)) yield segment.slice(0, MAX_CLUSTER);
}

function clusterWidth(cluster: string): number {
  if (ZERO.test(cluster)) return 0;
  return WIDE.test(cluster) ? 2 : 1;
}
