import type { ToolResult } from "../../../core/call/tool-result.ts";
import { serverOf } from "../../../core/tool/tool.ts";
import type { McpSource } from "../../../sources/mcp/mcp-source.ts";
import type { SessionMethod } from "../method.ts";
import { applyOptions, startServers } from "../sessions/servers.ts";
import type { Live } from "../state/live.ts";
import { knownServers } from "../tools/given-servers.ts";
import { findServerSource, readDefinitionStatus } from "../tools/server-status.ts";
import { isJson, type Json, recordOf, recordsOf, stated, textOf, textsOf } from "../wire/wire-values.ts";

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
    await findServerSource(live, textOf(serverName) ?? "")?.restart?.();
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
  "mcp.oauth.login": async (live, { serverName }) => {
    if (!hasServers(live)) throw new Error("MCP host is not available");
    const server = knownServers(live)[textOf(serverName) ?? ""];
    if (server === undefined) throw new Error(`MCP server '${String(serverName)}' is not configured`);
    if (textOf(recordOf(server).url) === undefined)
      throw new Error(`MCP server '${String(serverName)}' is not a remote server`);
    await findServerSource(live, textOf(serverName) ?? "")?.restart?.();
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
  "mcp.apps.diagnose": async (live, { serverName }, { signal }) => {
    await startServers(live);
    const name = textOf(serverName) ?? "";
    const listed = await listAsSent(live, name, signal);
    const shown = listed.filter(({ _meta }) => isJson(recordOf(_meta).ui));
    return {
      capability: { advertised: hasApps(live), featureFlagEnabled: hasApps(live), sessionHasMcpApps: hasApps(live) },
      server: {
        connected: stateOf(live, name) === "connected",
        toolCount: listed.length,
        toolsWithUiMeta: shown.length,
        sampleToolNames: shown.slice(0, 5).map(({ name: tool }) => String(tool)),
      },
    };
  },
  "mcp.apps.listTools": (live, params) => ({
    tools: entriesAt(live, appServerOf(live, params)).map(({ tool }) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema,
    })),
  }),
  "mcp.apps.callTool": async (live, params, { signal }) => {
    const server = appServerOf(live, params);
    const entry = entriesAt(live, server).find(({ tool }) => tool.name === params.toolName);
    if (entry === undefined) throw new Error(`MCP server '${server}' has no tool '${String(params.toolName)}'`);
    return toCallResult(await live.session.call(entry.wireName, recordOf(params.arguments), { signal }));
  },
  "mcp.apps.readResource": (live, { serverName, uri }, { signal }) =>
    readResource(live, textOf(serverName) ?? "", textOf(uri) ?? "", signal),
};

function hasApps({ wire }: Live): boolean {
  return wire.requestMcpApps === true;
}

/** An app may use the tools of the server that brought it, and no others. */
function appServerOf(live: Live, { serverName, originServerName }: Json): string {
  if (!hasApps(live)) throw new Error("the session has no mcp-apps capability");
  if (serverName !== originServerName) throw new Error("an app may only use the tools of its own server");
  return textOf(serverName) ?? "";
}

function toCallResult({ textResultForLlm, resultType, binaryResultsForLlm = [], structured }: ToolResult): Json {
  return stated({
    content: [
      { type: "text", text: textResultForLlm },
      ...binaryResultsForLlm.map(({ type, data, mimeType }) => ({ type, data, mimeType })),
    ],
    structuredContent: structured,
    isError: resultType !== "success",
  });
}

async function readResource(live: Live, server: string, uri: string, signal: AbortSignal): Promise<Json> {
  const source = findServerSource(live, server);
  if (source === undefined || !("peer" in source))
    throw new Error(`resource not found: there is no server '${server}'`);
  const { peer } = source as McpSource; // Those with resources speak the protocol.
  const answer = await peer.request("resources/read", { uri }, { signal, client: null });
  if (answer.kind === "error") throw new Error(`resource not found: ${answer.message}`);
  return answer.result;
}

/** The tools of a server with all that it says of them. */
async function listAsSent(live: Live, server: string, signal: AbortSignal): Promise<readonly Json[]> {
  const source = findServerSource(live, server);
  if (source === undefined || !("peer" in source)) return [];
  const answer = await (source as McpSource).peer.request("tools/list", {}, { signal, client: null });
  return answer.kind === "error" ? [] : recordsOf(recordOf(answer.result).tools);
}

function hasServers(live: Live): boolean {
  return Object.keys(knownServers(live)).length > 0;
}

function stateOf(live: Live, server: string): unknown {
  return readDefinitionStatus(live).find(({ name }) => name === server)?.status;
}

function entriesAt(live: Live, server: string) {
  return live.session.toolset.placements.map(({ entry }) => entry).filter(({ tool }) => serverOf(tool) === server);
}

function toolsOfServer(live: Live, server: string): readonly Json[] {
  return entriesAt(live, server).map(({ tool: { name, description } }) => ({ name, description }));
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
