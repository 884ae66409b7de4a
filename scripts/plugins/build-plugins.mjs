// Everything that makes Toolcrib a plugin of other clients: their manifests and catalogs, around one server, hook and skill.

/**
 * @typedef {{
 *   version: string,
 *   license: string,
 *   skill: string,
 *   line: (client: Client) => string,
 *   hooks: Readonly<Record<Client, {
 *     parts: (line: string) => readonly { kind: string, keys?: readonly string[], item?: unknown }[],
 *     blank: Readonly<Record<string, unknown>>,
 *   }>>,
 * }} Source
 * @typedef {"claude-code" | "codex" | "copilot-cli" | "gemini-cli"} Client
 */

const NAME = "toolcrib";
const SUMMARY = "Judges every call by your own rules, and brings the tools of your servers.";
const WHY =
  "Why a tool is missing, or a call was refused or asked about. For tools that should be there and are not, and results that say that Toolcrib denied a call.";
const SERVERS = { [NAME]: { command: NAME, args: ["connect"] } };

/** The files of all plugins, below the root of the checkout. @param {Source} source @returns {Map<string, string>} */
export function buildPlugins(source) {
  const { version, license } = source;
  const about = { name: NAME, version, description: SUMMARY, license };
  const listed = { name: NAME, version, description: SUMMARY };
  const catalog = { name: NAME, owner: { name: "Toolcrib" } };
  return new Map([
    ...under("plugins/claude-code", {
      ".claude-plugin/plugin.json": json({ ...about, author: catalog.owner }),
      ".mcp.json": json({ mcpServers: SERVERS }),
      "hooks/hooks.json": json(hooksOf("claude-code", source)),
      "skills/why/SKILL.md": skillOf("claude-code", source),
    }),
    [
      ".claude-plugin/marketplace.json",
      json({ ...catalog, description: SUMMARY, plugins: [{ ...listed, source: "./plugins/claude-code" }] }),
    ],
    ...under("plugins/codex", {
      ".codex-plugin/plugin.json": json({
        ...about,
        skills: "./skills/",
        mcpServers: "./.mcp.json",
        hooks: "./hooks/hooks.json",
        interface: { displayName: "Toolcrib", shortDescription: SUMMARY, category: "Developer Tools" },
      }),
      ".mcp.json": json({ mcpServers: SERVERS }),
      "hooks/hooks.json": json(hooksOf("codex", source)),
      "skills/why/SKILL.md": skillOf("codex", source),
    }),
    [
      ".agents/plugins/marketplace.json",
      json({
        name: NAME,
        interface: { displayName: "Toolcrib" },
        plugins: [
          {
            name: NAME,
            source: { source: "local", path: "./plugins/codex" },
            policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
            category: "Developer Tools",
          },
        ],
      }),
    ],
    ...under("plugins/copilot-cli", {
      "plugin.json": json({ ...about, skills: "skills/", hooks: "hooks.json", mcpServers: ".mcp.json" }),
      ".mcp.json": json({ mcpServers: { [NAME]: { type: "local", ...SERVERS[NAME], tools: ["*"] } } }),
      "hooks.json": json(hooksOf("copilot-cli", source)),
      "skills/why/SKILL.md": skillOf("copilot-cli", source),
    }),
    [
      ".github/plugin/marketplace.json",
      json({
        ...catalog,
        metadata: { description: SUMMARY, version },
        plugins: [{ ...listed, source: "./plugins/copilot-cli" }],
      }),
    ],
    ...under("plugins/gemini-cli", {
      "gemini-extension.json": json({ name: NAME, version, description: SUMMARY, mcpServers: SERVERS }),
      "hooks/hooks.json": json(hooksOf("gemini-cli", source)),
      "skills/why/SKILL.md": skillOf("gemini-cli", source),
      "commands/why.toml": `description = ${JSON.stringify(WHY)}\nprompt = '''\n${textOf("gemini-cli", source)}\nIt is about: {{args}}\n'''\n`,
    }),
  ]);
}

/** @param {string} folder @param {Readonly<Record<string, string>>} files @returns {[string, string][]} */
function under(folder, files) {
  return Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]);
}

/** @param {unknown} value */
function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The file that `guard install --project` would write. @param {Client} client @param {Source} source */
function hooksOf(client, { hooks, line }) {
  const { parts, blank } = hooks[client];
  /** @type {Record<string, unknown[]>} */
  const events = {};
  for (const { kind, keys = [], item } of parts(line(client))) {
    const event = keys[1];
    if (kind !== "item" || keys[0] !== "hooks" || event === undefined || keys.length > 2)
      throw new Error(`the hook of ${client} is no list of events`);
    events[event] = [...(events[event] ?? []), item];
  }
  return { ...blank, hooks: events };
}

/** @param {Client} client @param {Source} source */
function skillOf(client, source) {
  return `---\nname: why\ndescription: ${JSON.stringify(WHY)}\n---\n\n${textOf(client, source)}`;
}

/** @param {Client} client @param {Source} source */
function textOf(client, { skill }) {
  return skill.replaceAll("CLIENT", client);
}
