import type { TextRange } from "./filter.ts";

/**
 * `named` says what was there; `shaped` keeps length and signs, so that the rest still fits a schema that asks for a
 * certain form.
 */
export type MaskStyle = "named" | "shaped";

export interface KindRange extends TextRange {
  readonly kind: string;
}

/** The text without these stretches, which may overlap. */
export function maskText(text: string, spans: readonly KindRange[], style: MaskStyle): string {
  let masked = "";
  let at = 0;
  for (const { from, to, kind } of joinRanges(spans)) {
    masked += text.slice(at, from) + (style === "named" ? `[masked: ${kind}]` : shapeOf(text.slice(from, to)));
    at = to;
  }
  return masked + text.slice(at);
}

/** In order, and none reaches into the next; a joined one is called what its longest part is. */
function joinRanges(spans: readonly KindRange[]): readonly KindRange[] {
  const sorted = [...spans].sort((one, other) => one.from - other.from || other.to - one.to);
  const joined: KindRange[] = [];
  for (const span of sorted) {
    const last = joined.at(-1);
    if (last === undefined || span.from >= last.to) {
      joined.push(span);
      continue;
    }
    const kind = span.to - span.from > last.to - last.from ? span.kind : last.kind;
    joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, span.to), kind };
  }
  return joined;
}

function shapeOf(text: string): string {
  const toLetter = (sign: string): string => (sign === sign.toLowerCase() ? "x" : "X");
  return text.replace(/\p{L}/gu, toLetter).replace(/\p{N}/gu, "0");
}
