// Copilot CLI, in the wire Chat Completions, with a provider of its own.
import { join } from "node:path";

const PATCH = "*** Begin Patch\n*** Add File: new.txt\n+one\n*** End Patch\n";

/** Without a patch. @param {string} workspace */
const filesOf = (workspace) => ({
  create: { name: "create", input: { path: join(workspace, "new.txt"), file_text: "one\n" } },
  edit: { name: "edit", input: { path: join(workspace, "notes.txt"), old_str: "one", new_str: "two" } },
});

/** @type {import("../client.d.ts").Client} */
export const copilotCli = {
  name: "copilot-cli",
  title: "Copilot CLI",
  packageName: "@github/copilot",
  version: "1.0.102",
  writes: "copilot",
  program: "copilot",
  models: ["loopback", "gpt-5.5"],
  prepare() {},
  env: (address, model) => ({
    COPILOT_PROVIDER_BASE_URL: `${address}/v1`,
    COPILOT_PROVIDER_API_KEY: "none",
    COPILOT_MODEL: model,
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
  }),
  start: (modules) => [process.execPath, join(modules, "@github", "copilot", "npm-loader.js")],
  options: (prompt, manner) => [
    ...["--no-auto-update", "--disable-builtin-mcps", "--prompt", prompt],
    ...(manner !== "careful" ? ["--allow-all"] : []),
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
  own: (workspace, model) => ({
    ...(model === "loopback" ? filesOf(workspace) : { create: { name: "apply_patch", input: PATCH } }),
    search: {
      name: model === "loopback" ? "grep" : "rg",
      input: { pattern: "one", paths: [join(workspace, "notes.txt")] },
    },
    bash: { name: "bash", input: { command: "touch made.txt", description: "A command" } },
    view: { name: "view", input: { path: join(workspace, "notes.txt") } },
    web: { name: "web_fetch", input: { url: "https://example.com/page" } },
  }),
  hooks: {
    path: "home/.copilot/hooks/other.json",
    isShared: false,
    content: (bash) => ({ version: 1, hooks: { preToolUse: [{ type: "command", bash, timeoutSec: 10 }] } }),
    change: (command) => ({
      permissionDecision: "allow",
      modifiedArgs: { command, description: "Another command" },
    }),
  },
  switches: { ".github/copilot/settings.json": { disableAllHooks: true } },
  types: null,
};
