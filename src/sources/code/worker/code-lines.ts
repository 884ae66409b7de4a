/** What the code is called in stacks, and what runs before it. */
export const USER_FILE = "code.ts";
export const PRELUDE_FILE = "toolcrib";

const LINE = /\bcode\.ts:(\d+)/;

/** The innermost line of the code that a stack names. */
export function lineIn(stack: string): number | null {
  const line = LINE.exec(stack.slice(0, 20_000))?.[1];
  return line === undefined ? null : Number(line);
}
