import { HARMLESS, HARMLESS_VALUES, LOADER_VARIABLES, STEERING } from "./programs/variables.ts";

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

const isSteering = toNames([...LOADER_VARIABLES, ...STEERING.split(/\s+/)]);
const isHarmless = toNames(HARMLESS.split(/\s+/));

/** Whether setting it before a command can change what runs. */
export function changesWhatRuns(name: string, value?: string): boolean {
  if (!isSteering(name) || isHarmless(name)) return false;
  return value === undefined || !HARMLESS_VALUES.some(([names, values]) => names.test(name) && values.test(value));
}
