import type { ChangedStanding } from "../../http/api/api.ts";
import { formatNumber } from "../parts/format.ts";
import { Icon } from "../parts/icon.tsx";
import { ShownText } from "../parts/shown-text.tsx";

interface ChangeListProps {
  readonly changes: readonly ChangedStanding[];
  readonly onlyChanges: boolean;
  setOnlyChanges(only: boolean): void;
  open(name: string): void;
}

const FIRST = 60;

/** What a what-if changes, tool by tool, with the gates that cause it. */
export function ChangeList({ changes, onlyChanges, setOnlyChanges, open }: ChangeListProps) {
  if (changes.length === 0) return <p class="change-list is-empty">This what-if changes nothing.</p>;
  return (
    <details class="change-list" open={changes.length <= 12}>
      <summary>
        <strong>{formatNumber(changes.length, "tool changes", "tools change")}</strong>
        <span class="dim"> {describe(changes)}</span>
      </summary>
      <label class="check">
        <input
          type="checkbox"
          checked={onlyChanges}
          onChange={(event) => setOnlyChanges(event.currentTarget.checked)}
        />
        Show only these in the grid
      </label>
      <ul>
        {changes.slice(0, FIRST).map(({ name, before, after, gates }) => (
          <li key={name} class="row wraps">
            <button type="button" class="link" onClick={() => open(name)}>
              <ShownText text={name} />
            </button>
            <span class="move">
              <span class="was">{before ?? "absent"}</span>
              <Icon name="arrow" />
              <span class={`now tone-${after ?? "hidden"}`}>{after ?? "absent"}</span>
            </span>
            <span class="dim">{gates.join(", ")}</span>
          </li>
        ))}
      </ul>
      {changes.length > FIRST && (
        <p class="dim">and {formatNumber(changes.length - FIRST, "more", "more")} in the grid.</p>
      )}
    </details>
  );
}

/** "3 visible → hidden, 1 hidden → visible". */
function describe(changes: readonly ChangedStanding[]): string {
  const moves = new Map<string, number>();
  for (const { before, after } of changes) {
    const move = `${before ?? "absent"} → ${after ?? "absent"}`;
    moves.set(move, (moves.get(move) ?? 0) + 1);
  }
  return [...moves].map(([move, count]) => `${count} ${move}`).join(", ");
}
