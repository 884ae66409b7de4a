import type { ShellCommand } from "./command-line.ts";
import { readCommandOptions } from "./read-options.ts";
import { isPlainScript } from "./script-text.ts";

const INPUT = /^(?:-|\/(?:dev\/(?:stdin|fd\/)|proc\/).*)$/;
type Fed = Pick<ShellCommand, "words" | "piped" | "redirections">;

/** A shell, an interpreter or a database client that runs its input, because nothing else gives it a script. */
export function takesScript({ words, piped, redirections }: Fed): boolean {
  const { program, items } = readCommandOptions(words);
  if (program?.readsInput !== true) return false;
  if (items.some(({ kind, word, marks }) => marks.includes("<") || (kind === "code-run" && INPUT.test(word.text))))
    return true;
  const isFed = piped || redirections.some(({ effect }) => effect === "text" || effect === "read");
  return (
    isFed &&
    !items.some(
      ({ kind, marks }) => /[\^:]/.test(marks) || kind === "code-run" || kind === "program" || kind === "command-line",
    )
  );
}

/** What gives a program something to run, so that it does not wait for typed lines. */
const GIVEN: ReadonlySet<string> = new Set(["script", "shell-line", "code-run", "program", "command-line"]);

/** It waits for lines that are typed into it, and runs them: a shell, an interpreter or a client that got no script. */
export function opensPrompt({ words, piped, redirections }: Fed): boolean {
  const { program, items } = readCommandOptions(words);
  // make takes a script from its input only where an option says so.
  if (program?.readsInput !== true || program.language === "make") return false;
  if (piped || redirections.some(({ effect }) => effect === "text" || effect === "read")) return false;
  if (words.some(({ text }) => text === "--version" || text === "--help")) return false;
  return !items.some(({ kind, marks }) => GIVEN.has(String(kind)) || /[\^:.]/.test(marks));
}

/** All its input is in the line itself, and harmless. */
export function hasPlainInput({ words, piped, redirections }: Fed): boolean {
  const { program } = readCommandOptions(words);
  const fed = redirections.filter(({ effect }) => effect === "text" || effect === "read");
  const isPlain = fed.every(
    ({ effect, target }) => effect === "text" && isPlainScript(program?.language ?? null, target),
  );
  return !piped && fed.length > 0 && isPlain;
}
