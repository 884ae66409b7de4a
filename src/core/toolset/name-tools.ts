import { standsForBuiltin } from "../tool/tool.ts";
import type { Placement } from "./toolset.ts";

/** The tools that built-in texts mention and a model can reach: from their original name to the current wire name. */
export type Reachable = ReadonlyMap<string, string>;

/** Built-ins, and what openly replaces them; any other tool of that name does not count. */
export function toReachable(placements: readonly Placement[]): Reachable {
  return new Map(
    placements.flatMap(({ entry: { tool, wireName }, standing }) => {
      return standsForBuiltin(tool) && standing !== "hidden" ? [[tool.name, wireName] as const] : [];
    }),
  );
}

/**
 * Fills in the text of a built-in: `{view, grep}` becomes those of the named tools that can be reached. A sentence in
 * which none can is left out, so that no hidden tool is ever mentioned (P3).
 */
export function nameTools(text: string, reachable: Reachable): string {
  return text
    .split(/(?<=\.)\s+/)
    .flatMap((sentence) => {
      let isEmpty = false;
      const named = sentence.replace(/\{(\w+(?:, \w+)*)\}/g, (_, names: string) => {
        const found = names.split(", ").flatMap((name) => reachable.get(name) ?? []);
        isEmpty ||= found.length === 0;
        return joinNames(found);
      });
      return isEmpty ? [] : [named];
    })
    .join(" ");
}

function joinNames(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} and ${last}`;
}
