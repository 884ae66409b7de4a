import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { escapeText } from "../../system/text/escape-text.ts";
import type { CommandInput } from "./command.ts";

/** Asks the person, unless `--yes` says so already. What it is about is named where nobody is there to be asked. */
export async function confirm(
  { io, args }: CommandInput,
  question: string,
  names: readonly string[] = [],
): Promise<boolean> {
  if (args.has("yes")) return true;
  if (!io.canAsk) {
    const text = "there is nobody to ask; look at what it lists, then run it again with --yes";
    throw new ToolcribError("usage.invalid", text, { names });
  }
  io.err(`${escapeText(question)} [y/N] `);
  const isYes = /^y(?:es)?$/i.test(await io.readInput("line"));
  if (!isYes && !args.has("json")) io.out("Nothing was changed.\n");
  return isYes;
}
