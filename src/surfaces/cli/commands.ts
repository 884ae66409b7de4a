import { COMMON_OPTIONS, type OptionName, SCENE_OPTIONS } from "./options.ts";

/** What help says about a command and what it accepts. */
export interface CommandSpec {
  readonly summary: string;
  /** Operands as help writes them: `TOOL`, `[DIR]`. */
  readonly operands: readonly string[];
  readonly options: readonly OptionName[];
  /** Paragraphs for its own help. */
  readonly about: readonly string[];
  readonly examples: readonly string[];
}

export const COMMANDS = {
  list: {
    summary: "the toolset for a scene: standing, source, tokens and first reason of every tool",
    operands: [],
    options: [...SCENE_OPTIONS, "standing", ...COMMON_OPTIONS],
    about: [
      "Shows every tool in the order in which a model gets them. Visible tools are sent now, deferred ones are found by tool_search, hidden ones are not there.",
      "Without --world the configuration is read and no server is started.",
    ],
    examples: ["toolcrib list --mode plan", "toolcrib list --exclude 'github/*' --standing hidden"],
  },
  help: {
    summary: "these commands, or one of them in detail",
    operands: ["[COMMAND]"],
    options: ["json"],
    about: [],
    examples: ["toolcrib help list"],
  },
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
