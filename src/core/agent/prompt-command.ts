import type { NameList, Sourced } from "../codes/origin.ts";
import { dropInvisible } from "../tool/hidden-text.ts";

/** A named prompt that a person runs with `/name`. */
export interface PromptCommand {
  readonly description: string | null;
  readonly argumentHint: string | null;
  readonly prompt: string;
  /** The only tools while it is worked on; null for no limit. */
  readonly tools: NameList | null;
  /** The agent that works on it; null for the selected one. */
  readonly agent: Sourced<string> | null;
}

const SPELLING = /^\/([\w-]+)(?:\s+([\s\S]*))?$/;

/** The command that a message begins with; undefined if none has that name. */
export function namedPrompt(said: string, commands: ReadonlyMap<string, PromptCommand>): PromptCommand | undefined {
  return commands.get(commandName(said) ?? "");
}

/** The command name at the start of a message, if the message begins like a command. */
export function commandName(said: string): string | null {
  return SPELLING.exec(said.trim())?.[1] ?? null;
}

/**
 * Expands `/name words`: the words replace the prompt's placeholders, or follow the prompt if it has none. Null when no
 * command has that name. Nothing in a prompt is executed.
 */
export function expandCommand(
  said: string,
  commands: ReadonlyMap<string, Pick<PromptCommand, "prompt">>,
): string | null {
  const [, name = "", given = ""] = SPELLING.exec(said.trim()) ?? [];
  const command = commands.get(name);
  if (command === undefined) return null;
  const words = given.split(/\s+/).filter((word) => word !== "");
  const prompt = command.prompt.split("\n").map(dropInvisible).join("\n");
  let isPlaced = false;
  const filled = prompt.replace(PLACE, (_, numbered: string | undefined) => {
    isPlaced = true;
    return numbered === undefined ? given : (words[Number(numbered) - 1] ?? "");
  });
  return isPlaced || given === "" ? filled : `${filled}\n\n${given}`;
}

/** `$ARGUMENTS`, `$1`, and VS Code's `${input:name}`. */
const PLACE = /\$ARGUMENTS\b|\$([1-9])(?!\d)|\$\{input:[^}]*\}/g;
