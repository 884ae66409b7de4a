// Copilot CLI, in the wire Chat Completions, with a provider of its own.
import { join } from "node:path";

/** @type {import("../client.d.ts").Client} */
export const copilotCli = {
  name: "copilot-cli",
  title: "Copilot CLI",
  packageName: "@github/copilot",
  version: "1.0.102",
  writes: "copilot",
  prepare() {},
  env: (_, model) => ({
    COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
    COPILOT_PROVIDER_API_KEY: "none",
    COPILOT_MODEL: "loopback",
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
  }),
  command: (modules, prompt, manner) => [
    ...[process.execPath, join(modules, "@github", "copilot", "npm-loader.js")],
    ...["--no-auto-update", "--disable-builtin-mcps", "--prompt", prompt],
    ...(manner === "free" ? ["--allow-all"] : []),
  ],
  shell: (command) => ({ name: "bash", input: { command, description: "A command" } }),
  async *delegate(prompt) {
    yield {
      name: "task",
      input: { name: "helper", description: "A task", prompt, agent_type: "general-purpose", mode: "sync" },
    };
  },
  resource: null,
  search: null,
  own: (workspace) => ({
    bash: { name: "bash", input: { command: "touch made.txt", description: "A command" } },
    create: { name: "create", input: { path: join(workspace, "new.txt"), file_text: "one\n" } },
    view: { name: "view", input: { path: join(workspace, "notes.txt") } },
    edit: { name: "edit", input: { path: join(workspace, "notes.txt"), old_str: "one", new_str: "two" } },
    web: { name: "web_fetch", input: { url: "https://example.com/page" } },
  }),
};
