import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The column of a row that is meant by one that it may not have, on the way from another. */
export type Snap = (row: number, column: number, from: number) => number;

interface Roving {
  readonly active: Cell;
  /** Makes a cell the one that Tab reaches; with `focus`, moves there. */
  activate(cell: Cell, focus: boolean): void;
  /** Moves by a key; false if the key means nothing in a grid. */
  move(event: KeyboardEvent, rows: number, snap: Snap, page: number): boolean;
}

/** One cell of a grid is in the Tab order, arrows move it: the pattern that screen readers know. */
export function useRovingCell(focusCell: (cell: Cell) => void): Roving {
  const [active, setActive] = useState<Cell>({ row: 0, column: 0 });
  const wantsFocus = useRef(false);

  // After the render, because a cell far away exists only once it is the active one.
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    focusCell(active);
  }, [active, focusCell]);

  const activate = useCallback((cell: Cell, focus: boolean) => {
    wantsFocus.current = focus;
    setActive((last) => (last.row === cell.row && last.column === cell.column && !focus ? last : { ...cell }));
  }, []);

  function move(event: KeyboardEvent, rows: number, snap: Snap, page: number): boolean {
    const target = toTarget(event, active, rows, page);
    if (target === null) return false;
    const row = Math.max(0, Math.min(rows - 1, target.row));
    activate({ row, column: snap(row, target.column, active.column) }, true);
    return true;
  }
  return { active, activate, move };
}

function toTarget(event: KeyboardEvent, { row, column }: Cell, rows: number, page: number) {
  const whole = event.ctrlKey || event.metaKey;
  switch (event.key) {
    case "ArrowDown":
      return { row: row + 1, column };
    case "ArrowUp":
      return { row: row - 1, column };
    case "ArrowRight":
      return { row, column: column + 1 };
    case "ArrowLeft":
      return { row, column: column - 1 };
    case "PageDown":
      return { row: row + page, column };
    case "PageUp":
      return { row: row - page, column };
    case "Home":
      return { row: whole ? 0 : row, column: 0 };
    case "End":
      return { row: whole ? rows - 1 : row, column: Number.MAX_SAFE_INTEGER };
    default:
      return null;
  }
}
