import { escapeText } from "../../../system/text/escape-text.ts";
import type { CommandInput } from "../command-line/command.ts";

const TOLD = new WeakMap<CommandInput, Set<string>>();

/** Says on stderr what an answer is about. Some commands come by there more than once. */
export function sayOnce(input: CommandInput, about: string, text: string): void {
  const { io, args, log } = input;
  const told = TOLD.get(input) ?? new Set();
  if (told.has(about) || args.has("json") || log.level === "warning" || log.level === "error") return;
  TOLD.set(input, told.add(about));
  io.err(`${escapeText(text)}\n`);
}
