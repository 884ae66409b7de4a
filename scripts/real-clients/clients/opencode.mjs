// opencode, in the wire Chat Completions. Its hook is a plugin in its own process.
import { join } from "node:path";

const PATCH = "*** Begin Patch\n*** Add File: new.txt\n+one\n*** End Patch\n";

/** Without a patch. @param {string} workspace */
const filesOf = (workspace) => ({
  create: { name: "write", input: { filePath: join(workspace, "new.txt"), content: "one\n" } },
  edit: {
    name: "edit",
    input: { filePath: join(workspace, "notes.txt"), oldString: "one", newString: "two" },
  },
});

/** @type {import("../client.d.ts").Client} */
export const opencode = {
  name: "opencode",
  title: "opencode",
  packageName: "opencode-ai",
  version: "1.18.33",
  writes: "opencode",
  program: "opencode",
  models: ["loopback", "gpt-5.5"],
  prepare({ write }, address, model) {
    const options = { baseURL: `${address}/v1`, apiKey: "none" };
    const models = { [model]: { name: model, tool_call: true } };
    const loopback = { npm: "@ai-sdk/openai-compatible", name: "loopback", options, models };
    const only = { enabled_providers: ["loopback"], model: `loopback/${model}`, small_model: `loopback/${model}` };
    const quiet = { autoupdate: false, share: "disabled" };
    write("home/.config/opencode/opencode.json", { provider: { loopback }, ...only, ...quiet });
  },
  env: (address, _, manner) => ({
    // It runs its shell unasked otherwise, without a screen too.
    ...(manner === "careful" ? { OPENCODE_PERMISSION: JSON.stringify({ bash: "ask" }) } : {}),
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    // It looks for packages of plugins when it starts: the model has none, and says so at once.
    npm_config_registry: address,
    npm_config_fetch_retries: "0",
  }),
  start: (modules) => [join(modules, `opencode-${process.platform}-${process.arch}`, "bin", "opencode")],
  options: (prompt, manner) => ["run", ...(manner !== "careful" ? ["--auto"] : []), prompt],
  shell: (command) => ({ name: "bash", input: { command, description: "A command" } }),
  async *delegate(prompt) {
    yield { name: "task", input: { description: "A task", prompt, subagent_type: "general" } };
  },
  resource: (server, uri) => ({ name: "read_mcp_resource", input: { server, uri } }),
  search: null,
  own: (workspace, model) => ({
    ...(model === "loopback" ? filesOf(workspace) : { create: { name: "apply_patch", input: { patchText: PATCH } } }),
    bash: { name: "bash", input: { command: "touch made.txt", description: "A command" } },
    view: { name: "read", input: { filePath: join(workspace, "notes.txt") } },
    "bash in a folder": { name: "bash", input: { command: "touch made.txt", description: "A", workdir: workspace } },
    web: { name: "webfetch", input: { url: "https://example.com/page", format: "text" } },
  }),
  hooks: {
    path: "home/.config/opencode/plugins/other.js",
    isShared: false,
    content: (command) => `export const Other = async () => ({
  "tool.execute.before": async (_, output) => {
    output.args.command = ${JSON.stringify(command)};
  },
});
`,
    change: null,
  },
  switches: {},
  types: null,
};
