// Codex, in the wire OpenAI Responses.
import { join } from "node:path";

/** A model that Codex knows, so that it offers its `apply_patch`. */
const MODEL = "gpt-5.5";

/** @type {import("../client.d.ts").Client} */
export const codex = {
  name: "codex",
  title: "Codex",
  packageName: "@openai/codex",
  version: "0.169.0",
  writes: "codex",
  program: "codex",
  models: [MODEL],
  prepare({ write, workspace }, address) {
    // As a person says where they work.
    const trusted = `[projects."${workspace}"]\ntrust_level = "trusted"\n`;
    const provider = `[model_providers.loopback]\nname = "loopback"\nbase_url = "${address}/v1"\nwire_api = "responses"\n`;
    write("home/.codex/config.toml", `model = "${MODEL}"\nmodel_provider = "loopback"\n\n${provider}\n${trusted}`);
  },
  env: () => ({}),
  start: (modules) => [process.execPath, join(modules, "@openai", "codex", "bin", "codex.js")],
  options: (prompt, manner) => [
    "exec",
    ...(manner !== "careful" ? ["--dangerously-bypass-approvals-and-sandbox"] : ["--sandbox", "read-only"]),
    ...(manner === "trusting" ? ["--dangerously-bypass-hook-trust"] : []),
    ...["--skip-git-repo-check", prompt],
  ],
  shell: (command) => ({ name: "exec_command", input: { cmd: command } }),
  async *delegate(message) {
    yield { name: "tool_search", input: { query: "spawn_agent wait_agent", limit: 8 } };
    const { results } = yield { name: "spawn_agent", input: { message } };
    const id = /"agent_id":\s*"([^"]+)"/.exec(results.at(-1) ?? "")?.[1] ?? "";
    yield { name: "wait_agent", input: { targets: [id], timeout_ms: 30_000 } };
  },
  resource: (server, uri) => ({ name: "read_mcp_resource", input: { server, uri } }),
  search: (tool) => ({ name: "tool_search", input: { query: tool, limit: 20 } }),
  own: () => ({
    bash: { name: "exec_command", input: { cmd: "touch made.txt" } },
    create: { name: "apply_patch", input: "*** Begin Patch\n*** Add File: new.txt\n+one\n*** End Patch\n" },
    edit: {
      name: "apply_patch",
      input: "*** Begin Patch\n*** Update File: notes.txt\n@@\n-one\n+two\n*** End Patch\n",
    },
    "bash in a folder": { name: "exec_command", input: { cmd: "touch made.txt", workdir: "sub" } },
    view: { name: "view_image", input: { path: "notes.txt" } },
  }),
  hooks: {
    path: "home/.codex/hooks.json",
    isShared: true,
    content: (command, before) => ({
      ...before,
      hooks: { PreToolUse: [{ matcher: "*", hooks: [{ type: "command", command }] }] },
    }),
    change: (command) => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { command },
      },
    }),
  },
  switches: { ".codex/config.toml": "[features]\nhooks = false\n" },
  async *types(text) {
    const { results } = yield { name: "exec_command", input: { cmd: "bash", tty: true, yield_time_ms: 1_000 } };
    const [, id] = /session ID (\d+)/.exec(results.at(-1) ?? "") ?? [];
    const input = { session_id: Number(id), chars: `${text}\n`, yield_time_ms: 1_000 };
    if (id !== undefined) yield { name: "write_stdin", input };
  },
};
