import type { Binding, Findings } from "./cursor.ts";
import type { MarkedText } from "./expand-braces.ts";

/** The marks of bindings: two for each, quoted and unquoted. */
const FIRST_USE = 0xe000;
const MOST_BINDINGS = 500;
/** The name for the functions and aliases that a line defines. */
export const FUNCTIONS = "()";

/** Variables that change by themselves. */
const DYNAMIC =
  /^(?:_|\d+|(?:BASH|COMP|COPROC|EPOCH|OPT|READLINE)\w*|DIRSTACK|EUID|FUNCNAME|GROUPS|HISTCMD|HOME|IFS|LINENO|MAPFILE|OLDPWD|PIPESTATUS|PPID|PWD|RANDOM|REPLY|SECONDS|SHELLOPTS|SRANDOM|UID)$/;

export function bind({ bindings }: Findings, made: Omit<Binding, "of">, of = bindings.length): number | null {
  if (bindings.length >= MOST_BINDINGS) return null;
  bindings.push({ ...made, of });
  return bindings.length - 1;
}

/** The values of a loop over words that are known well enough; null if the shell makes other words of them. */
export function bindLoop(findings: Findings, name: string, values: readonly MarkedText[]): number | null {
  if (values.length === 0 || DYNAMIC.test(name) || values.some(({ marks }) => marks.includes("D"))) return null;
  return bind(findings, { names: [name], times: 1, values });
}

/** `name=value`: the value is neither a pattern nor split into words. */
export function bindValue(findings: Findings, name: string, { text, marks }: MarkedText): number | null {
  if (DYNAMIC.test(name) || [...text].some((letter, at) => letter === "~" && at > 0 && marks[at] === "u")) return null;
  const own = [...marks].map((mark, at) => (mark === "u" && !(at === 0 && text.startsWith("~")) ? "q" : mark));
  return bind(findings, { names: [name], times: 1, values: [{ text, marks: own.join("").replaceAll("D", "d") }] });
}

/** The variable is given a value; `()` means functions. */
export function noteGiven({ given }: Findings, name: string): void {
  given.set(name, (given.get(name) ?? 0) + 1);
}

export function noteFunction(findings: Findings): void {
  noteGiven(findings, FUNCTIONS);
}

/** The binding of a mark, and whether it is quoted. */
export function useOf(mark: string | undefined): { readonly index: number; readonly isQuoted: boolean } | null {
  const place = (mark ?? "").charCodeAt(0) - FIRST_USE;
  return place >= 0 ? { index: place >> 1, isQuoted: place % 2 === 0 } : null;
}

/** The mark of a binding. */
export function toUse(index: number, isQuoted: boolean): string {
  return String.fromCharCode(FIRST_USE + 2 * index + (isQuoted ? 0 : 1));
}
