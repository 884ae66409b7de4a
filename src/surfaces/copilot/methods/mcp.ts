import { knownServers } from "../given-servers.ts";
import type { Live } from "../live.ts";
import type { SessionMethod } from "../method.ts";
import { readDefinitionStatus } from "../server-status.ts";
import { applyOptions, startServers } from "../servers.ts";
import { type Json, recordOf, textOf, textsOf } from "../wire-values.ts";

/** MCP servers. */
export const MCP_METHODS: Readonly<Record<string, SessionMethod>> = {
  "mcp.list": async (live) => {
    await startServers(live);
    return { servers: readDefinitionStatus(live) };
  },
  "mcp.listTools": (live, { serverName }) => ({ tools: toolsAt(live, textOf(serverName) ?? "") }),
  "mcp.isServerRunning": (live, { serverName }) => ({
    running: stateOf(live, textOf(serverName) ?? "") === "connected",
  }),
  "mcp.stopServer": async (live, { serverName }) => {
    await disable(live, textOf(serverName) ?? "");
    return null;
  },
  "mcp.startServer": async (live, { serverName }) => {
    await enable(live, textOf(serverName) ?? "");
    return null;
  },
  "mcp.restartServer": async (live, { serverName }) => {
    await live.session.sources.find(({ kind, name }) => kind === "mcp" && name === serverName)?.restart?.();
    return null;
  },
  "mcp.enable": async (live, { serverName }) => {
    if (!hasServers(live)) throw new Error("No MCP host initialized");
    await enable(live, textOf(serverName) ?? "");
    return null;
  },
  "mcp.disable": async (live, { serverName }) => {
    if (!hasServers(live)) throw new Error("No MCP host initialized");
    await disable(live, textOf(serverName) ?? "");
    return null;
  },
  "mcp.reload": async (live) => {
    if (!hasServers(live)) throw new Error("MCP config reload not available");
    await live.session.refresh();
    return null;
  },
  "mcp.oauth.login": (live, { serverName }) => {
    if (!hasServers(live)) throw new Error("MCP host is not available");
    const server = recordOf(live.wire.mcpServers)[textOf(serverName) ?? ""];
    if (server === undefined) throw new Error(`MCP server '${String(serverName)}' is not configured`);
    if (textOf(recordOf(server).url) === undefined)
      throw new Error(`MCP server '${String(serverName)}' is not a remote server`);
    return {};
  },
  "mcp.setEnvValueMode": (_live, { mode }) => ({ mode }),
  "mcp.removeGitHub": () => ({ removed: false }),
  "mcp.cancelSamplingExecution": () => ({ cancelled: false }),
  "mcp.executeSampling": () => ({ action: "failure", error: "MCP sampling is not available in this session" }),
  "mcp.apps.setHostContext": (live, { context }) => {
    live.facts.set("host context", context);
    return {};
  },
  "mcp.apps.getHostContext": (live) => ({ context: live.facts.get("host context") ?? {} }),
  "mcp.apps.diagnose": async (live, { serverName }) => {
    await startServers(live);
    const name = textOf(serverName) ?? "";
    const tools = toolsOfServer(live, name);
    return {
      capability: { advertised: false, featureFlagEnabled: false, sessionHasMcpApps: false },
      server: {
        connected: stateOf(live, name) === "connected",
        toolCount: tools.length,
        toolsWithUiMeta: 0,
        sampleToolNames: [],
      },
    };
  },
  "mcp.apps.listTools": () => refuseApps(),
  "mcp.apps.callTool": () => refuseApps(),
  "mcp.apps.readResource": () => {
    throw new Error("resource not found");
  },
};

function refuseApps(): never {
  throw new Error("the session has no mcp-apps capability");
}

function hasServers(live: Live): boolean {
  return Object.keys(knownServers(live)).length > 0;
}

function stateOf(live: Live, server: string): unknown {
  return readDefinitionStatus(live).find(({ name }) => name === server)?.status;
}

function toolsOfServer(live: Live, server: string): readonly Json[] {
  return live.session.toolset.placements.flatMap(({ entry: { tool } }) =>
    tool.source === "mcp" && tool.server === server ? [{ name: tool.name, description: tool.description }] : [],
  );
}

function toolsAt(live: Live, server: string): readonly Json[] {
  if (stateOf(live, server) !== "connected") throw new Error(`MCP server '${server}' is not connected`);
  return toolsOfServer(live, server);
}

async function disable(live: Live, server: string): Promise<void> {
  live.wire = { ...live.wire, disabledMcpServers: [...new Set([...textsOf(live.wire.disabledMcpServers), server])] };
  await applyOptions(live);
}

async function enable(live: Live, server: string): Promise<void> {
  const disabledMcpServers = textsOf(live.wire.disabledMcpServers).filter((name) => name !== server);
  live.wire = { ...live.wire, disabledMcpServers };
  live.serversStarted = true;
  await applyOptions(live);
}
