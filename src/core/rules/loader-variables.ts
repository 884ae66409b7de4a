import { HARMLESS, HARMLESS_VALUES, LOADER_VARIABLES, SHELL_VARIABLES } from "./programs/variables.ts";

type Names = (name: string) => boolean;

/** Some readers of these names ignore case, so it is always ignored. */
function toNames(names: readonly string[]): Names {
  const exact = new Set(names.filter((name) => !name.includes("*")));
  const starts = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return (name) => {
    const known = name.toUpperCase();
    return exact.has(known) || starts.some((start) => known.startsWith(start));
  };
}

const isOfShell = toNames([...LOADER_VARIABLES, ...SHELL_VARIABLES.split(/\s+/)]);
const isHarmless = toNames(HARMLESS.split(/\s+/));

/** Whether a program that gets this variable may run, load or write something else. Unknown names count as such. */
export function changesWhatRuns(name: string, value?: string): boolean {
  return !isHarmless(name) && !hasHarmlessValue(name, value);
}

/** Whether it matters even if only the shell sees it, as after `X=1;`: programs keep their old value. */
export function steersShell(name: string, value?: string): boolean {
  return isOfShell(name) && !hasHarmlessValue(name, value);
}

function hasHarmlessValue(name: string, value: string | undefined): boolean {
  return value !== undefined && HARMLESS_VALUES.some(([names, values]) => names.test(name) && values.test(value));
}
