import type { ToolResult } from "../../../core/call/tool-result.ts";
import { serverOf } from "../../../core/tool/tool.ts";
import type { McpSource } from "../../../sources/mcp/mcp-source.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import { applyOptions, startServers } from "../sessions/session-options.ts";
import { type SessionCore, setOptions } from "../state/session-core.ts";
import { findServerSource, knownServers, readServerStates } from "../tools/servers.ts";
import { dropUndefined, isJson, type Json, recordOf, recordsOf, textOf } from "../wire/wire-values.ts";
import { after, type SessionMethod } from "./method.ts";

/** MCP servers. */
export const MCP_METHODS: Readonly<Record<string, SessionMethod>> = {
  "mcp.list": async (live) => {
    await startServers(live);
    return { servers: readServerStates(live.core, live.servers) };
  },
  "mcp.listTools": (live, { serverName }) => {
    const server = textOf(serverName) ?? "";
    if (!isConnected(live, server)) throw new Error(`MCP server '${server}' is not connected`);
    return { tools: entriesAt(live.core, server).map(({ tool: { name, description } }) => ({ name, description })) };
  },
  "mcp.isServerRunning": (live, { serverName }) => ({ running: isConnected(live, textOf(serverName) ?? "") }),
  "mcp.stopServer": (live, { serverName }) => after(disable(live, textOf(serverName) ?? ""), null),
  "mcp.startServer": (live, { serverName }) => after(enable(live, textOf(serverName) ?? ""), null),
  "mcp.restartServer": async ({ core }, { serverName }) => {
    await findServerSource(core, textOf(serverName) ?? "")?.restart?.();
    return null;
  },
  "mcp.enable": (live, { serverName }) => {
    needServers(live, "No MCP host initialized");
    return after(enable(live, textOf(serverName) ?? ""), null);
  },
  "mcp.disable": (live, { serverName }) => {
    needServers(live, "No MCP host initialized");
    return after(disable(live, textOf(serverName) ?? ""), null);
  },
  "mcp.reload": (live) => {
    needServers(live, "MCP config reload not available");
    return after(live.core.session.refresh(), null);
  },
  "mcp.oauth.login": async (live, { serverName }) => {
    const name = textOf(serverName) ?? "";
    needServers(live, "MCP host is not available");
    const server = knownServers(live.core, live.servers)[name];
    if (server === undefined) throw new Error(`MCP server '${String(serverName)}' is not configured`);
    if (server.url === undefined) throw new Error(`MCP server '${String(serverName)}' is not a remote server`);
    await findServerSource(live.core, name)?.restart?.();
    return {};
  },
  "mcp.setEnvValueMode": (_live, { mode }) => ({ mode }),
  "mcp.removeGitHub": () => ({ removed: false }),
  "mcp.cancelSamplingExecution": () => ({ cancelled: false }),
  "mcp.executeSampling": () => ({ action: "failure", error: "MCP sampling is not available in this session" }),
  "mcp.apps.setHostContext": ({ servers }, { context }) => {
    servers.hostContext = context;
    return {};
  },
  "mcp.apps.getHostContext": ({ servers }) => ({ context: servers.hostContext ?? {} }),
  "mcp.apps.diagnose": async (live, { serverName }, { signal }) => {
    await startServers(live);
    const name = textOf(serverName) ?? "";
    const listed = await listAsSent(live.core, name, signal);
    const shown = listed.filter(({ _meta }) => isJson(recordOf(_meta).ui));
    const isOn = hasApps(live.core);
    return {
      capability: { advertised: isOn, featureFlagEnabled: isOn, sessionHasMcpApps: isOn },
      server: {
        connected: isConnected(live, name),
        toolCount: listed.length,
        toolsWithUiMeta: shown.length,
        sampleToolNames: shown.slice(0, 5).map(({ name: tool }) => String(tool)),
      },
    };
  },
  "mcp.apps.listTools": ({ core }, params) => ({
    tools: entriesAt(core, appServerOf(core, params)).map(({ tool: { name, description, inputSchema } }) => ({
      ...{ name, description, inputSchema },
    })),
  }),
  "mcp.apps.callTool": async ({ core }, params, { signal }) => {
    const server = appServerOf(core, params);
    const entry = entriesAt(core, server).find(({ tool }) => tool.name === params.toolName);
    if (entry === undefined) throw new Error(`MCP server '${server}' has no tool '${String(params.toolName)}'`);
    return toCallResult(await core.session.call(entry.wireName, recordOf(params.arguments), { signal }));
  },
  "mcp.apps.readResource": async ({ core }, { serverName, uri }, { signal }) => {
    const name = textOf(serverName) ?? "";
    const answer = await askServer(core, name, "resources/read", { uri: textOf(uri) ?? "" }, signal);
    if (answer === null) throw new Error(`resource not found: there is no server '${name}'`);
    if (answer.kind === "error") throw new Error(`resource not found: ${answer.message}`);
    return answer.result;
  },
};

function hasApps({ options }: SessionCore): boolean {
  return options.requestMcpApps === true;
}

/** An app may use the tools of the server that brought it, and no others. */
function appServerOf(core: SessionCore, { serverName, originServerName }: Json): string {
  if (!hasApps(core)) throw new Error("the session has no mcp-apps capability");
  if (serverName !== originServerName) throw new Error("an app may only use the tools of its own server");
  return textOf(serverName) ?? "";
}

function toCallResult({ textResultForLlm, resultType, binaryResultsForLlm = [], structured }: ToolResult): Json {
  return dropUndefined({
    content: [
      { type: "text", text: textResultForLlm },
      ...binaryResultsForLlm.map(({ type, data, mimeType }) => ({ type, data, mimeType })),
    ],
    structuredContent: structured,
    isError: resultType !== "success",
  });
}

/** Null where there is no such server, or it does not speak the protocol. */
async function askServer(core: SessionCore, name: string, method: string, params: Json, signal: AbortSignal) {
  const source = findServerSource(core, name);
  if (source === undefined || !("peer" in source)) return null;
  return (source as McpSource).peer.request(method, params, { signal, client: null });
}

/** The tools of a server with all that it says of them. */
async function listAsSent(core: SessionCore, server: string, signal: AbortSignal): Promise<readonly Json[]> {
  const answer = await askServer(core, server, "tools/list", {}, signal);
  return answer === null || answer.kind === "error" ? [] : recordsOf(recordOf(answer.result).tools);
}

function needServers({ core, servers }: ClientSession, problem: string): void {
  if (Object.keys(knownServers(core, servers)).length === 0) throw new Error(problem);
}

function isConnected({ core, servers }: ClientSession, server: string): boolean {
  return readServerStates(core, servers).some(({ name, status }) => name === server && status === "connected");
}

function entriesAt({ session }: SessionCore, server: string) {
  return session.toolset.placements.map(({ entry }) => entry).filter(({ tool }) => serverOf(tool) === server);
}

async function disable(live: ClientSession, server: string): Promise<void> {
  const { disabledMcpServers } = live.core.options;
  setOptions(live.core, { disabledMcpServers: [...new Set([...disabledMcpServers, server])] });
  await applyOptions(live);
}

async function enable(live: ClientSession, server: string): Promise<void> {
  const { disabledMcpServers } = live.core.options;
  setOptions(live.core, { disabledMcpServers: disabledMcpServers.filter((name) => name !== server) });
  live.servers.isStarted = true;
  await applyOptions(live);
}
