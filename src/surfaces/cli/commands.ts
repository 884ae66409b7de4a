import { COMMON_OPTIONS, type OptionName, SCENE_OPTIONS, START_OPTIONS } from "./options.ts";

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

const STARTS =
  "Without --world the configuration is read and its servers are started, asked for their tools and ended again. One that fails is told beside the answer and keeps no other from being shown; --no-start leaves them all alone.";

export const COMMANDS = {
  list: {
    summary: "the toolset for a scene: standing, source, tokens and first reason of every tool",
    operands: [],
    options: [...SCENE_OPTIONS, ...START_OPTIONS, "standing", ...COMMON_OPTIONS],
    about: [
      "Tools stand in the order in which a model gets them. Visible tools are sent now, deferred ones are found by tool_search, hidden ones are not there for this run.",
      STARTS,
    ],
    examples: ["toolcrib list --mode plan", "toolcrib list --exclude 'github/*' --standing hidden"],
  },
  why: {
    summary: "every gate's verdict on a tool, and how to change it",
    operands: ["TOOL"],
    options: [...SCENE_OPTIONS, ...START_OPTIONS, ...COMMON_OPTIONS],
    about: [
      "TOOL is any name that works in a list: a tool, a toolset, a server or a pattern; each tool that it means is explained.",
      "Exit status: 0 when all of them are visible or deferred, 1 when one is hidden or the name is unknown.",
      STARTS,
    ],
    examples: ["toolcrib why bash", "toolcrib why 'github/*' --agent reviewer"],
  },
  diff: {
    summary: "what changes between two scenes or worlds, and by which gate",
    operands: ["A", "B"],
    options: [...SCENE_OPTIONS, ...START_OPTIONS, ...COMMON_OPTIONS],
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
    options: [...SCENE_OPTIONS, ...START_OPTIONS, ...COMMON_OPTIONS],
    about: ["Prints JSON for --world. Addresses lose user, password and query; look through it before you share it."],
    examples: ["toolcrib snapshot > world.json", "toolcrib list --world world.json"],
  },
  servers: {
    summary: "state of every source, with reason and next step",
    operands: ["[ACTION]", "[NAME]"],
    options: [...SCENE_OPTIONS.filter((name) => name !== "world"), "timeout", ...COMMON_OPTIONS],
    about: [
      "Starts what is configured, tells how that went, and ends it again. Exit status: 0 when every server that is meant to run is connected, else 1.",
      "ACTION is restart, login or logs, for the server NAME alone: restart starts it anew and tells the outcome, logs prints the last lines of its error stream, login says what to do for one that wants a token.",
    ],
    examples: ["toolcrib servers", "toolcrib servers logs github", "toolcrib servers restart files --timeout 30"],
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
