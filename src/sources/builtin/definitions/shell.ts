import { builtin } from "./builtin.ts";
import { types } from "./touches.ts";

const shell = async () => (await import("../shell/shell-family.ts")).createShellFamily();

const shellId = { type: "string", description: "The id that bash returned for a background command" };

/** A little more than the longest wait that may be asked for. */
const LONGEST_CALL = 630_000;

/** Tools that run commands and look after the ones still running. */
export const SHELL_TOOLS = [
  builtin({
    name: "bash",
    sets: ["execute", "Bash"],
    load: shell,
    claude: ["Bash"],
    aliases: ["runInTerminal"],
    description:
      "Runs a command in bash. Returns its output and exit status, or an id to follow it when it runs in the background or outlasts the initial wait.",
    inputSchema: {
      type: "object",
      properties: {
        command: { type: "string", description: "The command line" },
        description: { type: "string", description: "What the command does, in a few words" },
        mode: {
          type: "string",
          enum: ["foreground", "background"],
          description: "foreground waits; background returns at once and leaves the input open for write_bash",
        },
        tty: {
          type: "boolean",
          description: "Give the command a terminal, for programs that ask or draw; false if absent",
        },
        initial_wait: {
          type: "number",
          minimum: 0,
          maximum: 600,
          description: "Seconds to wait before a foreground command goes on in the background; 30 if absent",
        },
        cwd: { type: "string", description: "Folder to run in; the workspace if absent" },
      },
      required: ["command"],
    },
    requires: ["workspace"],
    traits: { hostShell: true, interrupt: "cancel" },
    timeout: LONGEST_CALL,
    instructions:
      "Use {bash} for builds, tests and version control. For reading and changing files use {view, grep, glob, edit, apply_patch}.",
  }),
  builtin({
    name: "read_bash",
    sets: ["execute", "Bash", "BashOutput"],
    load: shell,
    claude: ["BashOutput"],
    aliases: ["getTerminalOutput"],
    description: "Reads new output of a background command, waiting for more if asked.",
    inputSchema: {
      type: "object",
      properties: {
        id: shellId,
        wait: { type: "number", minimum: 0, maximum: 600, description: "Seconds to wait for output" },
      },
      required: ["id"],
    },
    requires: ["workspace"],
    traits: { hostShell: true, readOnly: true, openWorld: false },
    timeout: LONGEST_CALL,
  }),
  builtin({
    name: "write_bash",
    sets: ["execute", "Bash"],
    load: shell,
    touches: types,
    // What is typed into a shell runs there, so whoever guards commands guards this.
    claude: ["Bash"],
    claudeFields: new Map([["input", "command"]]),
    description: "Writes to the input of a command that runs in the background or in a terminal.",
    inputSchema: {
      type: "object",
      properties: {
        id: shellId,
        input: { type: "string", description: "Text to send" },
        enter: { type: "boolean", description: "Press enter afterwards; true if absent" },
      },
      required: ["id", "input"],
    },
    requires: ["workspace"],
    traits: { hostShell: true },
  }),
  builtin({
    name: "stop_bash",
    sets: ["execute", "Bash", "KillShell"],
    load: shell,
    claude: ["KillShell"],
    description: "Ends a background command and everything it started.",
    inputSchema: { type: "object", properties: { id: shellId }, required: ["id"] },
    requires: ["workspace"],
    traits: { hostShell: true, idempotent: true, openWorld: false },
  }),
  builtin({
    name: "list_bash",
    sets: ["execute", "Bash"],
    load: shell,
    description: "Lists the commands that run in the background.",
    inputSchema: { type: "object", properties: {} },
    requires: ["workspace"],
    traits: { hostShell: true, readOnly: true, idempotent: true, openWorld: false },
  }),
] as const;
