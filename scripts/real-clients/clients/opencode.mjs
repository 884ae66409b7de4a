// opencode, in the wire Chat Completions. Its hook is a plugin in its own process.
import { join } from "node:path";

/** @type {import("../client.d.ts").Client} */
export const opencode = {
  name: "opencode",
  title: "opencode",
  packageName: "opencode-ai",
  version: "1.18.33",
  writes: "opencode",
  prepare({ write }, model) {
    const options = { baseURL: `${model}/v1`, apiKey: "none" };
    const models = { loopback: { name: "loopback", tool_call: true } };
    const loopback = { npm: "@ai-sdk/openai-compatible", name: "loopback", options, models };
    const only = { enabled_providers: ["loopback"], model: "loopback/loopback", small_model: "loopback/loopback" };
    const quiet = { autoupdate: false, share: "disabled" };
    write("home/.config/opencode/opencode.json", { provider: { loopback }, ...only, ...quiet });
  },
  env: (_, model) => ({
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    // It looks for packages of plugins when it starts: the model has none, and says so at once.
    npm_config_registry: model,
    npm_config_fetch_retries: "0",
  }),
  command: (modules, prompt, manner) => [
    join(modules, `opencode-${process.platform}-${process.arch}`, "bin", "opencode"),
    ...["run", ...(manner === "free" ? ["--auto"] : []), prompt],
  ],
  shell: (command) => ({ name: "bash", input: { command, description: "A command" } }),
  async *delegate(prompt) {
    yield { name: "task", input: { description: "A task", prompt, subagent_type: "general" } };
  },
  resource: (server, uri) => ({ name: "read_mcp_resource", input: { server, uri } }),
  search: null,
  own: (workspace) => ({
    bash: { name: "bash", input: { command: "touch made.txt", description: "A command" } },
    create: { name: "write", input: { filePath: join(workspace, "new.txt"), content: "one\n" } },
    view: { name: "read", input: { filePath: join(workspace, "notes.txt") } },
    edit: {
      name: "edit",
      input: { filePath: join(workspace, "notes.txt"), oldString: "one", newString: "two" },
    },
    web: { name: "webfetch", input: { url: "https://example.com/page", format: "text" } },
  }),
};
