import { escapeText } from "./escape-text.ts";
import { wrapText } from "./text-width.ts";

/** Names on lines of that width, each of them whole, set in by that much. */
export function formatNames(names: readonly string[], width: number, indent: number): readonly string[] {
  const shown = names.map((name, at) => escapeText(name) + (at === names.length - 1 ? "" : ","));
  return wrapText(shown.join(" "), width - indent).map((line) => " ".repeat(indent) + line);
}

/** "3 tools", "1 tool". */
export function countOf(count: number, one: string, many = `${one}s`): string {
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
