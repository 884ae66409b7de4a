import { formatCount, formatNumber } from "../parts/format.ts";
import { toOneLine } from "../parts/reveal-text.ts";
import { describeGate, GateCell, GroupCell, NameCell, StackedCell, StandingCell, TokensCell } from "./grid-cells.tsx";
import type { GridRow } from "./grid-rows.ts";

/** Name, standing and tokens come before the gates. */
export const LEADING_COLUMNS = 3;

interface RowProps {
  readonly row: GridRow;
  readonly index: number;
  readonly top: number;
  readonly gates: readonly string[];
  readonly window: number;
  readonly most: number;
  readonly isNarrow: boolean;
  readonly isSelected: boolean;
  /** The column that Tab reaches in this row; -1 for none. */
  readonly activeColumn: number;
  readonly tipId: string;
}

export function GridRowView(props: RowProps) {
  const { row, index, top, isSelected, activeColumn } = props;
  const place = { top: `${top}px` };
  const cell = (column: number) => ({
    role: "gridcell" as const,
    "data-cell": `${index}:${column}`,
    tabIndex: column === activeColumn ? 0 : -1,
  });
  if (row.kind === "group") {
    return (
      <tr role="row" class="group-row" aria-rowindex={index + 2} style={place}>
        <td
          role="gridcell"
          data-cell={`${index}:0`}
          tabIndex={activeColumn === 0 ? 0 : -1}
          aria-expanded={row.isOpen}
          class="group-name"
        >
          <GroupCell row={row} />
        </td>
        {!props.isNarrow &&
          props.gates.map((gate, at) => {
            const count = row.held.get(gate) ?? 0;
            const words =
              count === 0 ? `${gate} holds back nothing` : `${gate} holds back ${formatNumber(count, "tool")}`;
            return (
              <td
                key={gate}
                {...cell(LEADING_COLUMNS + at)}
                class="gate held dim fine number"
                title={words}
                aria-label={words}
              >
                {count > 0 && formatCount(count)}
              </td>
            );
          })}
      </tr>
    );
  }
  const kind = `tool-row is-${row.tool.standing}${row.change === null ? "" : " is-changed"}`;
  return (
    <tr role="row" class={kind} aria-rowindex={index + 2} aria-selected={isSelected} style={place}>
      {props.isNarrow ? (
        <td {...cell(0)}>
          <StackedCell row={row} />
        </td>
      ) : (
        <>
          <td {...cell(0)} class="name">
            <NameCell row={row} />
          </td>
          <td {...cell(1)}>
            <StandingCell row={row} />
          </td>
          <td {...cell(2)} class="right">
            <TokensCell row={row} most={props.most} window={props.window} />
          </td>
          {props.gates.map((gate, at) => {
            const column = LEADING_COLUMNS + at;
            const describedBy = column === activeColumn ? { "aria-describedby": props.tipId } : {};
            return (
              <td
                key={gate}
                {...cell(column)}
                {...describedBy}
                class="gate"
                aria-label={`${toOneLine(row.tool.shown)}, ${describeGate(row, gate)}`}
              >
                <GateCell row={row} gate={gate} />
              </td>
            );
          })}
        </>
      )}
    </tr>
  );
}
