import { builtin } from "./builtin.ts";
import { flagSchema, seconds, takes, textSchema } from "./takes.ts";
import { types } from "./touches.ts";

const shell = async () => (await import("../shell/shell-family.ts")).createShellFamily();

const shellId = textSchema("The id that bash returned for a background command");

/** What commands run with: by task, and the names of Claude Code and VS Code for all of it. */
const COMMANDS = ["execute", "Bash", "runCommands"] as const;

/** A little more than the longest wait that a call may ask for. */
const LONGEST_CALL = 630_000;

/** Tools that run commands and manage the ones still running. */
export const SHELL_TOOLS = [
  builtin({
    name: "bash",
    sets: COMMANDS,
    load: shell,
    claude: ["Bash"],
    aliases: ["runInTerminal"],
    description:
      "Runs a command in bash. Returns its output and exit status, or an id to follow it when it runs in the background or outlasts the initial wait.",
    inputSchema: takes({
      command: textSchema("The command line"),
      "description?": textSchema("What the command does, in a few words"),
      "mode?": textSchema("foreground waits; background returns at once and leaves the input open for write_bash", [
        "foreground",
        "background",
      ]),
      "tty?": flagSchema("Give the command a terminal, for programs that ask or draw; false if absent"),
      "initial_wait?": seconds("Seconds to wait before a foreground command goes on in the background; 30 if absent"),
      "cwd?": textSchema("Folder to run in; the workspace if absent"),
    }),
    requires: ["workspace"],
    traits: { hostShell: true, interrupt: "cancel" },
    timeout: LONGEST_CALL,
    instructions:
      "Use {bash} for builds, tests and version control. For reading and changing files use {view, grep, glob, edit, apply_patch, str_replace_based_edit_tool}.",
  }),
  builtin({
    name: "read_bash",
    sets: [...COMMANDS, "BashOutput"],
    load: shell,
    claude: ["BashOutput"],
    aliases: ["getTerminalOutput"],
    description: "Reads new output of a background command, waiting for more if asked.",
    inputSchema: takes({ id: shellId, "wait?": seconds("Seconds to wait for output") }),
    requires: ["workspace"],
    traits: { hostShell: true, readOnly: true, openWorld: false },
    timeout: LONGEST_CALL,
  }),
  builtin({
    name: "write_bash",
    sets: COMMANDS,
    load: shell,
    touches: types,
    // Text typed into a shell runs there, so hooks that guard commands must see it.
    claude: ["Bash"],
    claudeFields: new Map([["input", "command"]]),
    description: "Writes to the input of a command that runs in the background or in a terminal.",
    inputSchema: takes({
      id: shellId,
      input: textSchema("Text to send"),
      "enter?": flagSchema("Press enter afterwards; true if absent"),
    }),
    requires: ["workspace"],
    traits: { hostShell: true },
  }),
  builtin({
    name: "stop_bash",
    sets: [...COMMANDS, "KillShell"],
    load: shell,
    claude: ["KillShell"],
    aliases: ["killTerminal"],
    description: "Ends a background command and everything it started.",
    inputSchema: takes({ id: shellId }),
    requires: ["workspace"],
    traits: { hostShell: true, idempotent: true, openWorld: false },
  }),
  builtin({
    name: "monitor",
    sets: COMMANDS,
    load: shell,
    aliases: ["awaitTerminal"],
    description:
      "Waits until a background command writes a line that fits, or ends, and returns its output up to then. Use it in place of reading again and again.",
    inputSchema: takes({
      id: shellId,
      "until?": textSchema("Regular expression (RE2) for the line; without it, only the end counts"),
      "wait?": seconds("Seconds to wait; 120 if absent"),
    }),
    requires: ["workspace"],
    traits: { hostShell: true, readOnly: true, openWorld: false },
    timeout: LONGEST_CALL,
  }),
  builtin({
    name: "list_bash",
    sets: COMMANDS,
    load: shell,
    description: "Lists the commands that run in the background.",
    inputSchema: takes({}),
    requires: ["workspace"],
    traits: { hostShell: true, readOnly: true, idempotent: true, openWorld: false },
  }),
] as const;
