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
  prepare({ write }, model) {
    const provider = `[model_providers.loopback]\nname = "loopback"\nbase_url = "${model}/v1"\nwire_api = "responses"\n`;
    write("home/.codex/config.toml", `model = "${MODEL}"\nmodel_provider = "loopback"\n\n${provider}`);
  },
  env: () => ({}),
  command: (modules, prompt, manner) => [
    ...[process.execPath, join(modules, "@openai", "codex", "bin", "codex.js"), "exec"],
    ...(manner === "free" ? ["--dangerously-bypass-approvals-and-sandbox"] : ["--sandbox", "read-only"]),
    ...["--dangerously-bypass-hook-trust", "--skip-git-repo-check", prompt],
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
    view: { name: "view_image", input: { path: "notes.txt" } },
  }),
};
