import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import type { CommandInput } from "./command.ts";

/** Asks the person, unless `--yes` says so already. Where nobody is there, the question is told, and what it is about. */
export async function confirm(
  { io, args }: CommandInput,
  question: string,
  names: readonly string[] = [],
): Promise<boolean> {
  if (args.has("yes")) return true;
  if (!io.canAsk) {
    const text = `nobody is here to answer "${question}", so nothing was changed; if you mean it, run it again with --yes`;
    throw new ToolcribError("usage.invalid", text, { names });
  }
  io.err(`${escapeText(question)} [y/N] `);
  const isYes = /^y(?:es)?$/i.test(await io.readInput("line"));
  if (!isYes && !args.has("json")) io.out("Nothing was changed.\n");
  return isYes;
}
