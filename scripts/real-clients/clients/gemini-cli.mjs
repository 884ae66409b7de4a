// Gemini CLI, in the wire Gemini generateContent.
import { join } from "node:path";

const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false },
};

/** @type {import("../client.d.ts").Client} */
export const geminiCli = {
  name: "gemini-cli",
  title: "Gemini CLI",
  packageName: "@google/gemini-cli",
  version: "0.61.0",
  writes: "gemini",
  program: "gemini",
  models: ["gemini-2.5-flash"],
  prepare({ write }) {
    write("home/.gemini/settings.json", SETTINGS);
  },
  env: (address) => ({ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: address }),
  start: (modules) => [process.execPath, join(modules, "@google", "gemini-cli", "bundle", "gemini.js")],
  options: (prompt, manner) => [
    ...["--model", "gemini-2.5-flash", "--skip-trust", "--prompt", prompt],
    ...(manner !== "careful" ? ["--yolo"] : []),
  ],
  inTerminal: (prompt) => ["--model", "gemini-2.5-flash", "--skip-trust", "--prompt-interactive", prompt],
  shell: (command) => ({ name: "run_shell_command", input: { command, description: "A command" } }),
  async *delegate(prompt) {
    yield { name: "invoke_agent", input: { agent_name: "generalist", prompt } };
  },
  resource: (_, uri) => ({ name: "read_mcp_resource", input: { uri } }),
  search: null,
  own: (workspace) => ({
    bash: { name: "run_shell_command", input: { command: "touch made.txt", description: "A command" } },
    create: { name: "write_file", input: { file_path: join(workspace, "new.txt"), content: "one\n" } },
    view: { name: "read_file", input: { file_path: join(workspace, "notes.txt") } },
    edit: {
      name: "replace",
      input: {
        file_path: join(workspace, "notes.txt"),
        old_string: "one",
        new_string: "two",
        instruction: "Change it",
      },
    },
    "bash in a folder": {
      name: "run_shell_command",
      input: { command: "touch made.txt", description: "A command", dir_path: "." },
    },
    web: { name: "web_fetch", input: { prompt: "What is at https://example.com/page ?" } },
  }),
  hooks: {
    path: "home/.gemini/settings.json",
    isShared: true,
    content: (command, before) => ({
      ...before,
      hooks: { BeforeTool: [{ matcher: "*", hooks: [{ type: "command", command }] }] },
    }),
    change: (command) => ({
      decision: "allow",
      hookSpecificOutput: { hookEventName: "BeforeTool", tool_input: { command, description: "Another command" } },
    }),
  },
  switches: { ".gemini/settings.json": { hooksConfig: { enabled: false, disabled: ["toolcrib"] } } },
  types: null,
};
