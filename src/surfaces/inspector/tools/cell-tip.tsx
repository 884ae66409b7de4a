import type { ReasonView } from "../../http/api/api.ts";
import { Icon } from "../parts/icon.tsx";
import { ShownText } from "../parts/shown-text.tsx";
import { verdictWord } from "./grid-cells.tsx";

export interface Tip {
  readonly tool: string;
  readonly gate: string;
  readonly now: ReasonView | null;
  /** Set when a what-if changes it. */
  readonly was: string | null;
  /** Where the cell is on the screen. */
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}

const WIDTH = 320;
const MARGIN = 12;

/** The reason for one cell, next to it. The details have the same, so nothing is lost without hover. */
export function CellTip({ tip, id }: { readonly tip: Tip; readonly id: string }) {
  const left = Math.max(MARGIN, Math.min(tip.left - WIDTH / 2, innerWidth - WIDTH - MARGIN));
  const isLow = tip.bottom > innerHeight * 0.7;
  const place = isLow ? { bottom: `${innerHeight - tip.top + 6}px` } : { top: `${tip.bottom + 6}px` };
  const { now } = tip;
  return (
    <div class="tip pile" role="tooltip" id={id} style={{ left: `${left}px`, width: `${WIDTH}px`, ...place }}>
      <div class="row">
        <strong>{tip.gate}</strong>
        {tip.was !== null && (
          <>
            <span class="was">{tip.was}</span>
            <Icon name="arrow" />
          </>
        )}
        <span class={`badge tone-${now?.verdict ?? "plain"}`}>{verdictWord(now)}</span>
      </div>
      {now?.text && <ShownText in="p" text={now.text} />}
      {now === null && <p class="dim">This gate was not asked: another one had already hidden the tool.</p>}
      {now?.verdict === "pass" && <p class="dim">Nothing held back here.</p>}
      {now?.origin && now.verdict !== "pass" && (
        <p class="dim">
          from <ShownText text={now.origin} />
          {now.code !== null && <code> {now.code}</code>}
        </p>
      )}
    </div>
  );
}
