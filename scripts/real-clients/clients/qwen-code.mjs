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
  prepare({ write }) {
    write("home/.qwen/settings.json", SETTINGS);
  },
  env: (_, model) => ({ OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: "loopback" }),
  command: (modules, prompt, manner) => [
    ...[process.execPath, join(modules, "@qwen-code", "qwen-code", "cli.js")],
    ...["--auth-type", "openai", "--prompt", prompt],
    ...(manner === "free" ? ["--yolo"] : []),
  ],
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
    web: { name: "web_fetch", input: { url: "https://example.com/page", prompt: "What is it?" } },
  }),
};
