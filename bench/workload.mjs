const NOUNS = ["issue", "branch", "file", "comment", "user", "record", "invoice", "ticket", "page", "event"];
const VERBS = ["list", "get", "create", "update", "delete", "search", "export", "archive"];
const WORDS =
  "Returns the matching entries of the account in a stable order, with their owner, state and the time of the last change".split(
    " ",
  );

/**
 * Tool definitions of the size that real MCP servers have: about 1.2 KB of JSON each.
 * @param {number} count
 * @param {number} servers
 * @returns {import("../dist/doors/core.js").ToolFields[]}
 */
export function makeDefinitions(count, servers) {
  return Array.from({ length: count }, (_, at) => {
    const noun = NOUNS[at % NOUNS.length];
    const properties = Object.fromEntries(
      Array.from({ length: 6 }, (_none, p) => [
        `${noun}_${p}`,
        p === 5
          ? {
              type: "object",
              properties: { key: { type: "string", enum: ["a", "b", "c"] }, depth: { type: "integer" } },
            }
          : { type: "string", description: `${WORDS.slice(p, p + 9).join(" ")} ${at}` },
      ]),
    );
    return {
      name: `${VERBS[at % VERBS.length]}_${noun}_${at}`,
      source: /** @type {const} */ ("mcp"),
      server: `server-${at % servers}`,
      description: `${WORDS.join(" ")}. Number ${at} of its kind. ${WORDS.slice(3).join(" ")}.`,
      inputSchema: { type: "object", properties, required: [`${noun}_0`], additionalProperties: false },
      traits: { readOnly: at % 3 === 0 },
    };
  });
}

/**
 * A scene in which every list is in use, so that no gate has an easy time.
 * @param {Partial<{ exclude: string[] }>} [changes]
 */
export function makeWorld(changes = {}) {
  return {
    toolsets: [{ id: "toolset:issues", name: "issues", members: ["server-1/*", "server-2/list_*"] }],
    options: {
      excludeTools: changes.exclude ?? ["server-3/*", "server-4/delete_*", "issues"],
      agent: "reviewer",
      agents: [{ name: "reviewer", tools: ["*"], disallowedTools: ["server-5/*"] }],
      policy: { deniedMcpServers: ["server-6"], deniedTools: ["server-7/*"] },
      permissions: { deny: ["mcp__server-8"] },
      servers: { "server-9": { tools: ["get_*", "search_*"] } },
      skills: [{ name: "s", active: true, allowedTools: ["*"] }],
      toolGroups: ["web"],
      model: { id: "m", capabilities: { vision: true } },
    },
  };
}
