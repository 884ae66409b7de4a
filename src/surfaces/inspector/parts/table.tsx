import type { ComponentChildren } from "preact";

export interface TableColumn {
  readonly name: string;
  readonly isNumber?: boolean;
}

interface TableProps {
  readonly label: string;
  /** The first is the heading of each row. */
  readonly columns: readonly TableColumn[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly ComponentChildren[] }[];
}

/** A table that stays whole on a small screen: there each row is its heading and its values by name. */
export function Table({ label, columns, rows }: TableProps) {
  const classOf = (at: number) => (columns[at]?.isNumber === true ? "number right" : undefined);
  return (
    <div class="table-scroll" role="region" aria-label={`${label}, all columns`} tabIndex={0}>
      <table class="plain" role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name }, at) => (
              <th key={name} role="columnheader" scope="col" class={classOf(at)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(({ key, cells: [head, ...cells] }) => (
            <tr key={key} role="row">
              <th role="rowheader" scope="row">
                {head}
              </th>
              {cells.map((cell, at) => (
                <td key={columns[at + 1]?.name} role="cell" class={classOf(at + 1)} data-name={columns[at + 1]?.name}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
