import { nearestNames } from "../../../core/codes/nearest-name.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import { wrapText } from "./text-width.ts";

/** Names on lines of that width, each of them whole, set in by that much. */
export function formatNames(names: readonly string[], width: number, indent: number): readonly string[] {
  const shown = names.map((name, at) => escapeText(name) + (at === names.length - 1 ? "" : ","));
  return wrapText(shown.join(" "), width - indent).map((line) => " ".repeat(indent) + line);
}

/** What a name that is none was probably meant to be, or else which there are; `none` where there are none. */
export function adviseName(name: string, known: readonly string[], none: string) {
  const [nearest] = nearestNames(name, known, 1);
  if (nearest !== undefined) return { text: `did you mean "${nearest}"?`, names: [nearest] };
  const more = known.length > MOST_NAMES ? ` and ${known.length - MOST_NAMES} more` : "";
  const listed = `there ${known.length === 1 ? "is" : "are"} ${known.slice(0, MOST_NAMES).join(", ")}${more}`;
  return { text: known.length === 0 ? none : listed, names: [] };
}

const MOST_NAMES = 10;

/** "3 tools", "1 tool". */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Items that share what `keyOf` says, in the order of the first of each. */
export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): readonly (readonly [T, ...T[]])[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const known = groups.get(keyOf(item));
    if (known === undefined) groups.set(keyOf(item), [item]);
    else known.push(item);
  }
  return [...groups.values()];
}
