import type { RefObject, TargetedMouseEvent } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { CellTip, type Tip } from "./cell-tip.tsx";
import { gateDiffers, verdictWord } from "./grid-cells.tsx";
import { GridRowView, LEADING_COLUMNS } from "./grid-row-view.tsx";
import { firstReason, type GridRow, verdictOf } from "./grid-rows.ts";
import { type Cell, type Snap, useRovingCell } from "./use-roving-cell.ts";

interface GridProps {
  readonly rows: readonly GridRow[];
  readonly gates: readonly string[];
  readonly window: number;
  readonly isNarrow: boolean;
  /** Standings show what they were before, too. */
  readonly isCompared: boolean;
  readonly selected: string | null;
  /** What is filtered for: with another filter the list starts at its top again. */
  readonly filter: string;
  open(name: string): void;
  toggle(group: string, isOpen: boolean): void;
}

const ROW_PX = 50;
const NARROW_ROW_PX = 78;
/** Rows drawn beyond what is seen, so that scrolling never shows a gap. */
const SPARE_ROWS = 10;
const TIP_ID = "cell-tip";

/** Tools down, gates across. Draws only the rows that can be seen: three thousand tools scroll like thirty. */
export function ToolGrid({ rows, gates, window, isNarrow, isCompared, selected, filter, open, toggle }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const view = useScrolled(scroller);
  const { tip, showTip, moveTip, hideTip } = useTip(scroller, rows, gates, isNarrow);
  const rowHeight = isNarrow ? NARROW_ROW_PX : ROW_PX;
  const columns = isNarrow ? 1 : LEADING_COLUMNS + gates.length;
  const snap = toSnap(rows, columns);
  const focusCell = useCallback((cell: Cell) => bringIntoView(scroller.current, cell, rowHeight), [rowHeight]);
  const { active, activate, move } = useRovingCell(focusCell);
  const most = useMemo(() => mostTokens(rows), [rows]);

  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
    activate({ row: 0, column: 0 }, false);
  }, [filter, activate]);

  const chosen = rows.findIndex((candidate) => candidate.kind === "tool" && candidate.tool.name === selected);
  // A link may lead to a tool far down; its row is shown without taking the focus from the details.
  useEffect(() => {
    if (chosen < 0) return;
    activate({ row: chosen, column: 0 }, false);
    scrollToRow(scroller.current, chosen, rowHeight);
    if (!isNarrow) showReason(scroller.current, rows, chosen, gates);
  }, [selected, rowHeight, activate, view.height, rows.length === 0]);

  const act = (cell: Cell) => enter(rows[cell.row], open, toggle);
  const onClick = (event: TargetedMouseEvent<HTMLElement>) => {
    const found = cellOf(event.target);
    if (found === null) return;
    activate(found.cell, true);
    act(found.cell);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && tip !== null) {
      hideTip();
      event.stopPropagation();
    } else if (event.key === "Enter" || event.key === " ") {
      const found = cellOf(event.target);
      if (found !== null) act(found.cell);
      event.preventDefault();
    } else if (move(event, rows.length, snap, Math.max(1, Math.floor(view.height / rowHeight) - 2))) {
      event.preventDefault();
    }
  };

  const current = Math.max(0, Math.min(active.row, rows.length - 1));
  return (
    <div class="grid-scroll" ref={scroller} onScroll={moveTip}>
      <table
        role="grid"
        class={isNarrow ? "grid is-narrow" : "grid"}
        aria-label="Tools and gates"
        aria-rowcount={rows.length + 1}
        aria-colcount={columns}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onMouseOver={showTip}
        onMouseLeave={hideTip}
        onFocusIn={showTip}
        onFocusOut={hideTip}
        style={{ "--columns": toColumns(gates.length, isNarrow, isCompared), "--row-px": `${rowHeight}px` }}
      >
        <GridHead gates={gates} isNarrow={isNarrow} />
        <tbody role="rowgroup" style={{ height: `${rows.length * rowHeight}px` }}>
          {findDrawn(view, rowHeight, rows, current).map(([index, row]) => (
            <GridRowView
              key={row.kind === "group" ? `group ${row.key}` : `tool ${row.tool.name}`}
              {...{ row, index, gates, window, most, isNarrow }}
              top={index * rowHeight}
              isSelected={row.kind === "tool" && row.tool.name === selected}
              activeColumn={index === current ? snap(index, active.column, active.column) : -1}
              tipId={TIP_ID}
            />
          ))}
        </tbody>
      </table>
      {tip !== null && <CellTip tip={tip} id={TIP_ID} />}
    </div>
  );
}

function enter(row: GridRow | undefined, open: GridProps["open"], toggle: GridProps["toggle"]): void {
  if (row?.kind === "group") toggle(row.key, !row.isOpen);
  else if (row !== undefined) open(row.tool.name);
}

function GridHead({ gates, isNarrow }: Pick<GridProps, "gates" | "isNarrow">) {
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1} class="grid-head">
        <th role="columnheader">Tool</th>
        {!isNarrow && (
          <>
            <th role="columnheader">Standing</th>
            <th role="columnheader" class="right">
              Tokens
            </th>
            {gates.map((gate) => (
              <th key={gate} role="columnheader" class="gate-head">
                <span>{gate}</span>
              </th>
            ))}
          </>
        )}
      </tr>
    </thead>
  );
}

function toColumns(gates: number, isNarrow: boolean, isCompared: boolean): string {
  if (isNarrow) return "1fr";
  return `minmax(var(--name-px), 1fr) ${isCompared ? "11.5rem" : "7.5rem"} 8.5rem repeat(${gates}, 2rem)`;
}

function toSnap(rows: readonly GridRow[], columns: number): Snap {
  return (row, column, from) => {
    const fitting = Math.max(0, Math.min(columns - 1, column));
    if (rows[row]?.kind === "tool" || fitting === 0 || fitting >= LEADING_COLUMNS) return fitting;
    // A group has nothing between its name and its gates.
    return fitting > from ? LEADING_COLUMNS : 0;
  };
}

/** Which part of what scrolls is seen. */
function useScrolled(scroller: RefObject<HTMLElement | null>): { readonly top: number; readonly height: number } {
  const [view, setView] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);
  return view;
}

/** The visible rows, those around them, and the one that Tab reaches; each with its position. */
function findDrawn(
  { top, height }: ReturnType<typeof useScrolled>,
  rowHeight: number,
  rows: readonly GridRow[],
  current: number,
): readonly (readonly [number, GridRow])[] {
  const first = Math.max(0, Math.floor(top / rowHeight) - SPARE_ROWS);
  const last = Math.ceil((top + height) / rowHeight) + SPARE_ROWS;
  const drawn = rows.slice(first, last).map((row, offset) => [first + offset, row] as const);
  const reached = rows[current];
  return reached === undefined || drawn.some(([at]) => at === current) ? drawn : [...drawn, [current, reached]];
}

function mostTokens(rows: readonly GridRow[]): number {
  return rows.reduce((most, row) => (row.kind === "tool" ? Math.max(most, row.tool.tokens) : most), 0);
}

/** The reason for the cell under the pointer. */
function useTip(
  scroller: RefObject<HTMLElement | null>,
  rows: readonly GridRow[],
  gates: readonly string[],
  isNarrow: boolean,
) {
  const [tip, setTip] = useState<Tip | null>(null);
  const show = (target: EventTarget | null) => setTip(toTip(cellOf(target), rows, gates, isNarrow));
  return {
    tip,
    showTip: (event: Event) => show(event.target),
    // Scrolling moves the cell away from its tip, and may bring another one under the pointer.
    moveTip() {
      if (tip !== null) show(scroller.current?.querySelector("[data-cell]:is(:hover, :focus-visible)") ?? null);
    },
    hideTip: () => setTip(null),
  };
}

interface FoundCell {
  readonly cell: Cell;
  readonly element: HTMLElement;
}

function cellOf(target: EventTarget | null): FoundCell | null {
  const element = target instanceof Element ? target.closest<HTMLElement>("[data-cell]") : null;
  const [row, column] = element?.dataset.cell?.split(":").map(Number) ?? [];
  if (element === null || row === undefined || column === undefined) return null;
  return { cell: { row, column }, element };
}

function toTip(
  found: FoundCell | null,
  rows: readonly GridRow[],
  gates: readonly string[],
  isNarrow: boolean,
): Tip | null {
  if (found === null || isNarrow) return null;
  const row = rows[found.cell.row];
  const gate = gates[found.cell.column - LEADING_COLUMNS];
  if (row?.kind !== "tool" || gate === undefined) return null;
  const { left, width, top, bottom } = found.element.getBoundingClientRect();
  const was = gateDiffers(row, gate) && row.before ? verdictWord(verdictOf(row.before, gate)) : null;
  return { tool: row.tool.shown, gate, now: verdictOf(row.tool, gate), was, left: left + width / 2, top, bottom };
}

/** Shows the cell and gives it the focus. */
function bringIntoView(scroller: HTMLElement | null, { row, column }: Cell, rowHeight: number): void {
  scrollToRow(scroller, row, rowHeight);
  showCell(scroller, { row, column })?.focus({ preventScroll: true });
}

/** What holds a tool back must not be outside the view while its details are read. */
function showReason(
  scroller: HTMLElement | null,
  rows: readonly GridRow[],
  row: number,
  gates: readonly string[],
): void {
  const chosen = rows[row];
  const column = chosen?.kind === "tool" ? gates.indexOf(firstReason(chosen.tool)?.gate ?? "") : -1;
  if (column >= 0) showCell(scroller, { row, column: LEADING_COLUMNS + column });
}

function showCell(scroller: HTMLElement | null, { row, column }: Cell): HTMLElement | undefined {
  const cell = scroller?.querySelector<HTMLElement>(`[data-cell="${row}:${column}"]`) ?? undefined;
  cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  return cell;
}

/** Scrolls just far enough that the row is visible under the heading. */
function scrollToRow(scroller: HTMLElement | null, row: number, rowHeight: number): void {
  if (scroller === null) return;
  const head = scroller.querySelector("thead")?.getBoundingClientRect().height ?? 0;
  const top = row * rowHeight;
  const room = scroller.clientHeight - head - rowHeight;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
}
