// Qwen Code, in the wire Chat Completions.
import { join } from "node:path";

const SETTINGS = {
  security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, disableAutoUpdate: true },
};

/** @type {import("../client.d.ts").Client} */
export const qwenCode = {
  name: "qwen-code",
  title: "Qwen Code",
  packageName: "@qwen-code/qwen-code",
  version: "0.15.10",
  writes: "qwen",
  program: "qwen",
  models: ["loopback"],
  prepare({ write }) {
    write("home/.qwen/settings.json", SETTINGS);
  },
  env: (address) => ({ OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${address}/v1`, OPENAI_MODEL: "loopback" }),
  start: (modules) => [process.execPath, join(modules, "@qwen-code", "qwen-code", "cli.js")],
  options: (prompt, manner) => [
    ...["--auth-type", "openai", "--prompt", prompt],
    ...(manner !== "careful" ? ["--yolo"] : []),
  ],
  inTerminal: (prompt) => ["--auth-type", "openai", "--prompt-interactive", prompt],
  shell: (command) => ({
    name: "run_shell_command",
    input: { command, description: "A command", is_background: false },
  }),
  async *delegate(prompt) {
    yield { name: "agent", input: { description: "A task", prompt, subagent_type: "general-purpose" } };
  },
  resource: null,
  search: (tool) => ({ name: "tool_search", input: { query: `select:mcp__toolcrib__${tool}` } }),
  own: (workspace) => ({
    bash: {
      name: "run_shell_command",
      input: { command: "touch made.txt", description: "A command", is_background: false },
    },
    create: { name: "write_file", input: { file_path: join(workspace, "new.txt"), content: "one\n" } },
    view: { name: "read_file", input: { file_path: join(workspace, "notes.txt") } },
    edit: {
      name: "edit",
      input: { file_path: join(workspace, "notes.txt"), old_string: "one", new_string: "two" },
    },
    "bash in a folder": {
      name: "run_shell_command",
      input: { command: "touch made.txt", description: "A command", is_background: false, directory: workspace },
    },
    watched: { name: "monitor", input: { command: "touch made.txt", description: "A command" } },
    web: { name: "web_fetch", input: { url: "https://example.com/page", prompt: "What is it?" } },
  }),
  hooks: {
    path: "home/.qwen/settings.json",
    isShared: true,
    content: (command, before) => ({
      ...before,
      hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command }] }] },
    }),
    change: (command) => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { command, description: "Another command", is_background: false },
      },
    }),
  },
  switches: { ".qwen/settings.json": { disableAllHooks: true } },
  types: null,
};
