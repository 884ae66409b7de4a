import { standsForBuiltin } from "../tool/tool.ts";
import type { Placement } from "./toolset.ts";

/** What a model can reach of the tools that built-in texts speak of: their names of old, and the wire names of now. */
export type Reachable = ReadonlyMap<string, string>;

/** Built-ins, and what openly takes their place; whatever else has such a name is another tool. */
export function toReachable(placements: readonly Placement[]): Reachable {
  return new Map(
    placements.flatMap(({ entry: { tool, wireName }, standing }) => {
      return standsForBuiltin(tool) && standing !== "hidden" ? [[tool.name, wireName] as const] : [];
    }),
  );
}

/**
 * The text of a built-in, in which `{view, grep}` stands for those of these tools that can be reached now. A sentence in
 * which none of them can is left out, so that no hidden tool is ever mentioned (P3).
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
