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

/** All its input is in the line itself, and harmless. */
export function hasPlainInput({ words, piped, redirections }: Fed): boolean {
  const { program } = readCommandOptions(words);
  const fed = redirections.filter(({ effect }) => effect === "text" || effect === "read");
  const isPlain = fed.every(
    ({ effect, target }) => effect === "text" && isPlainScript(program?.language ?? null, target),
  );
  return !piped && fed.length > 0 && isPlain;
}
