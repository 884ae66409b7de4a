/** What the code is called in stacks, and what runs before it. */
export const USER_FILE = "code.ts";
export const PRELUDE_FILE = "toolcrib";

/** At the end of a line of a stack: what stands before it is a function's name, which the code may choose. */
const LINE = /\bcode\.ts:(\d+)(?::\d+)?\)?$/gm;

/** The innermost line of the code that a stack names. */
export function lineIn(stack: string): number | null {
  return linesIn(stack)[0] ?? null;
}

/**
 * The line that a call came from, for people who judge it: the innermost one that speaks of the function. A name can hold
 * what looks like a stack, so one that does not speak of it counts only where none does.
 */
export function callLineIn(stack: string, name: string, code: readonly string[]): number | null {
  const lines = linesIn(stack);
  const said = name.slice(name.lastIndexOf(".") + 1);
  return lines.find((line) => code[line - 1]?.includes(said) === true) ?? lines[0] ?? null;
}

function linesIn(stack: string): readonly number[] {
  return [...stack.slice(0, 20_000).matchAll(LINE)].map(([, line]) => Number(line));
}
