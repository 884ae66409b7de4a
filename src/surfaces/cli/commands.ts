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

const NO_SERVERS = "Without --world the configuration is read; no server is started.";

export const COMMANDS = {
  list: {
    summary: "the toolset for a scene: standing, source, tokens and first reason of every tool",
    operands: [],
    options: [...SCENE_OPTIONS, "standing", ...COMMON_OPTIONS],
    about: [
      "Tools stand in the order in which a model gets them. Visible tools are sent now, deferred ones are found by tool_search, hidden ones are not there for this run.",
      NO_SERVERS,
    ],
    examples: ["toolcrib list --mode plan", "toolcrib list --exclude 'github/*' --standing hidden"],
  },
  why: {
    summary: "every gate's verdict on a tool, and how to change it",
    operands: ["TOOL"],
    options: [...SCENE_OPTIONS, ...COMMON_OPTIONS],
    about: [
      "TOOL is any name that works in a list: a tool, a toolset, a server or a pattern; each tool that it means is explained.",
      "Exit status: 0 when all of them are visible or deferred, 1 when one is hidden or the name is unknown.",
      NO_SERVERS,
    ],
    examples: ["toolcrib why bash", "toolcrib why 'github/*' --agent reviewer"],
  },
  diff: {
    summary: "what changes between two scenes or worlds, and by which gate",
    operands: ["A", "B"],
    options: [...SCENE_OPTIONS, ...COMMON_OPTIONS],
    about: [
      'A and B are world files, or changes on top of the configuration (or of --world): key=value with the keys agent, model, mode, include and exclude, commas between them, and "+" between the names of a list. "base" stands for no change.',
      "Exit status: 0, whether or not there are differences.",
    ],
    examples: [
      "toolcrib diff base mode=plan",
      "toolcrib diff agent=reviewer agent=planner,exclude=web+execute",
      "toolcrib diff before.json after.json",
    ],
  },
  config: {
    summary: "the effective configuration, every value with its origin",
    operands: [],
    options: [...SCENE_OPTIONS.filter((name) => name !== "world"), ...COMMON_OPTIONS],
    about: ["Secrets are masked, and variables are shown as they are written."],
    examples: ["toolcrib config", "toolcrib config --json"],
  },
  snapshot: {
    summary: "the tools and facts as a world file, to replay a question about visibility anywhere",
    operands: [],
    options: [...SCENE_OPTIONS, ...COMMON_OPTIONS],
    about: ["Prints JSON for --world. Addresses lose user, password and query; look through it before you share it."],
    examples: ["toolcrib snapshot > world.json", "toolcrib list --world world.json"],
  },
  trust: {
    summary: "let a workspace's own configuration start servers, hooks and allow rules; shows them first",
    operands: ["[DIR]"],
    options: ["yes", ...COMMON_OPTIONS],
    about: [
      "DIR is the workspace, else the one around the current folder. Nothing is started. What is trusted is this content: when it changes, it has to be trusted again.",
      "Asks for confirmation on a terminal; elsewhere --yes is needed.",
    ],
    examples: ["toolcrib trust", "toolcrib trust ../app --yes"],
  },
  help: {
    summary: "these commands, or one of them in detail",
    operands: ["[COMMAND]"],
    options: ["json"],
    about: [],
    examples: ["toolcrib help why"],
  },
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
