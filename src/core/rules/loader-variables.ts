import { HARMLESS, LOADER_VARIABLES, STEERING } from "./programs/variables.ts";

type Names = (name: string) => boolean;

/** Some readers of these names ignore their case, so it never counts. */
function toNames(names: readonly string[]): Names {
  const exact = new Set(names.filter((name) => !name.includes("*")));
  const starts = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  const ends = names.filter((name) => name.startsWith("*")).map((name) => name.slice(1));
  return (name) => {
    const known = name.toUpperCase();
    return (
      exact.has(known) ||
      starts.some((start) => known.startsWith(start)) ||
      ends.some((end) => known.endsWith(end) || known === end.slice(1))
    );
  };
}

export const isLoaderVariable: Names = toNames(LOADER_VARIABLES);
const isSteering = toNames([...LOADER_VARIABLES, ...STEERING.split(/\s+/)]);
const isHarmless = toNames(HARMLESS.split(/\s+/));

/** What says that no editor and no pager is wanted. */
const NOTHING = new Set(["", "cat", "true", ":"]);

/** Whether setting it before a command can change what runs. */
export function changesWhatRuns(name: string, value?: string): boolean {
  if (value !== undefined && NOTHING.has(value) && /(?:EDITOR|PAGER)$/.test(name)) return false;
  return isSteering(name) && !isHarmless(name);
}
