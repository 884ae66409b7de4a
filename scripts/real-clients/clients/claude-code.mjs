// Claude Code, in the wire Anthropic Messages.
import { join } from "node:path";

/** @type {import("../client.d.ts").Client} */
export const claudeCode = {
  name: "claude-code",
  title: "Claude Code",
  packageName: "@anthropic-ai/claude-code",
  version: "2.1.197",
  writes: "claude",
  program: "claude",
  models: ["claude-sonnet-4-5"],
  prepare({ write }) {
    write("home/.claude/settings.json", { enableAllProjectMcpServers: true });
  },
  env: (address) => ({
    ANTHROPIC_BASE_URL: address,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    // The order not to ask is not taken from root elsewhere.
    ...(process.getuid?.() === 0 ? { IS_SANDBOX: "1" } : {}),
  }),
  start: (modules) => [join(modules, "@anthropic-ai", `claude-code-${process.platform}-${process.arch}`, "claude")],
  options: (prompt, manner) => [
    ...["--model", "claude-sonnet-4-5", "--print", prompt],
    ...(manner !== "careful" ? ["--dangerously-skip-permissions"] : []),
  ],
  shell: (command) => ({ name: "Bash", input: { command, description: "A command" } }),
  async *delegate(prompt) {
    yield { name: "Agent", input: { description: "A task", prompt, subagent_type: "general-purpose" } };
  },
  resource: (server, uri) => ({ name: "ReadMcpResourceTool", input: { server, uri } }),
  search: null,
  own: (workspace) => ({
    bash: { name: "Bash", input: { command: "touch made.txt", description: "A command" } },
    create: { name: "Write", input: { file_path: join(workspace, "new.txt"), content: "one\n" } },
    view: { name: "Read", input: { file_path: join(workspace, "notes.txt") } },
    edit: {
      name: "Edit",
      input: { file_path: join(workspace, "notes.txt"), old_string: "one", new_string: "two", replace_all: false },
    },
    web: { name: "WebFetch", input: { url: "https://example.com/page", prompt: "What is it?" } },
  }),
  hooks: {
    path: "home/.claude/settings.json",
    isShared: true,
    content: (command, before) => ({
      ...before,
      hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command }] }] },
    }),
    change: (command) => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { command, description: "Another command" },
      },
    }),
  },
  switches: { ".claude/settings.json": { disableAllHooks: true } },
  types: null,
};
