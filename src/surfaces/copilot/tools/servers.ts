import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Config } from "../../../config/config.ts";
import { type ReportedSources, reportOdd, type SourceReport } from "../../../runtime/report/source-report.ts";
import { explainTrouble } from "../../../runtime/report/source-trouble.ts";
import { derive } from "../../../runtime/session/sources/with-client.ts";
import { isServer, type Source, type SourceState } from "../../../sources/source.ts";
import type { AskToken } from "../../../sources/token-port.ts";
import { askAll, emitPassing, hasHooks, invokeHook, isAwaited, type SessionCore } from "../state/session-core.ts";
import { type ClientServer, readServers } from "../wire/client-options.ts";
import { dropUndefined, isJson, type Json, recordOf, textOf } from "../wire/wire-values.ts";

/** The MCP servers of a session. */
export interface ServerState {
  /** They are started with the first list or message, not before. */
  isStarted: boolean;
  /** What the files of the working directory and of the person say, as the session was opened. */
  project: Config | null;
  /** The session that they run for; null before it is open. */
  session: ReportedSources | null;
  /** What an app says about the place where it shows pages of servers. */
  hostContext: unknown;
}

export function newServers(): ServerState {
  return { isStarted: false, project: null, session: null, hostContext: {} };
}

type Servers = Readonly<Record<string, ClientServer>>;

/** Those of the session's options, of its plugins, and GitHub's own where it is wanted. */
export function givenServers(core: SessionCore): Servers {
  const { pluginDirectories, mcpServers } = core.options;
  const ofPlugins = pluginDirectories.map((folder) => readServers(readPlugin(folder, ".mcp.json").mcpServers));
  return Object.assign({}, ...ofPlugins, gitHubServer(core), mcpServers);
}

/** The same, and those that were found in files, by name; of these only the address is known. */
export function knownServers(core: SessionCore, { project }: ServerState): Servers {
  const isFinding = core.options.enableConfigDiscovery === true;
  const found = [...((isFinding && project?.servers) || [])].map(([name, { transport }]) => [
    name,
    transport.type === "stdio" ? {} : { type: transport.type, url: transport.url },
  ]);
  return { ...Object.fromEntries(found), ...givenServers(core) };
}

function gitHubServer({ options, server }: SessionCore): Servers {
  const base = server.around.env.COPILOT_API_URL;
  if (options.enableConfigDiscovery !== true || options.githubMcpToolConfig === undefined || !base) return {};
  const { enableAllTools, additionalToolsets, additionalTools, enableInsidersMode } = options.githubMcpToolConfig;
  const toolsets = enableAllTools === true ? "all" : additionalToolsets.join(",");
  const token = options.gitHubToken ?? server.gitHubToken;
  const headers = {
    ...(toolsets === "" ? {} : { "x-mcp-toolsets": toolsets }),
    ...(enableAllTools === true || additionalTools === undefined ? {} : { "x-mcp-tools": additionalTools.join(",") }),
    ...(enableInsidersMode === true ? { "x-mcp-insiders": "true" } : {}),
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  return { "github-mcp-server": { type: "http", url: `${base.replace(/\/+$/, "")}/mcp`, headers } };
}

/** The plugins of a session, as their own files describe them. */
export function listPlugins({ options }: SessionCore): readonly Json[] {
  return options.pluginDirectories.map((folder) => {
    const { name, version } = readPlugin(folder, "plugin.json");
    const about = { name: textOf(name) ?? basename(folder), marketplace: "", version: textOf(version) };
    return dropUndefined({ ...about, enabled: true }) as Json;
  });
}

/** A plugin that cannot be read costs itself. */
function readPlugin(folder: string, name: string): Json {
  try {
    const file: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
    return recordOf(file);
  } catch {
    return {};
  }
}

/** A server of the session, however it is reached. */
export function findServerSource({ session }: SessionCore, name: string): Source | undefined {
  return session.sources.find((source) => isServer(source) && source.name === name);
}

const STATES: Readonly<Record<SourceState, string>> = {
  starting: "pending",
  connected: "connected",
  stale: "connected",
  failed: "failed",
  "needs-auth": "needs-auth",
  disabled: "disabled",
};

/** How each server of a session is doing, in the clients' words. */
export function readServerStates(core: SessionCore, servers: ServerState): readonly Json[] {
  const absent = servers.isStarted ? "pending" : "not_configured";
  const odd = servers.session === null ? [] : reportOdd(servers.session);
  return Object.entries(knownServers(core, servers)).map(([name, { type, url }]) => {
    const source = findServerSource(core, name);
    const trouble = odd.find((report) => report.name === name);
    const state = trouble?.state ?? source?.status.state;
    const isOff = core.options.disabledMcpServers.includes(name);
    const status = isOff ? "disabled" : state === undefined ? absent : STATES[state];
    const error = isOff ? undefined : errorOf(trouble);
    return dropUndefined({ name, status, transport: transportOf(type, url), error });
  });
}

/** Why one failed, or may not be started. */
function errorOf(trouble: SourceReport | undefined): string | undefined {
  return trouble?.state === "failed" || trouble?.state === "disabled" ? explainTrouble(trouble) : undefined;
}

/** Clients hear of each server that connects, fails or stops. */
export function reportStatus(core: SessionCore, servers: ServerState): (server: Source) => Source {
  return (source) => {
    const { name } = source;
    let last = STATES[source.status.state];
    const stop = source.changes(() => {
      const status = STATES[source.status.state];
      if (status === last || core.closing !== null) return;
      last = status;
      const odd = servers.session === null ? [] : reportOdd(servers.session);
      const error = errorOf(odd.find((report) => report.name === name));
      emitPassing(core, "session.mcp_server_status_changed", dropUndefined({ serverName: name, status, error }));
    });
    const close = async (): Promise<void> => {
      stop();
      await source.close();
    };
    return derive(source, { close });
  };
}

/** An API is reached over HTTP too. */
function transportOf(type: string | undefined, url: string | undefined): string {
  if (url === undefined) return "stdio";
  return type === "sse" ? "sse" : "http";
}

/** Lets clients' hooks say what goes along with a call to a server. */
export function throughHooks(core: SessionCore): (server: Source) => Source {
  return (source) =>
    derive(source, {
      async run(tool, args, context) {
        if (!hasHooks(core)) return source.run(tool, args, context);
        const { toolCallId, meta } = context;
        const about = { serverName: source.name, toolName: tool.name, arguments: args, toolCallId };
        const said = await invokeHook(core, "preMcpToolCall", meta === undefined ? about : { ...about, _meta: meta });
        const { meta: _, ...rest } = { ...context, signal: context.signal };
        const kept = said.metaToUse === undefined ? meta : isJson(said.metaToUse) ? said.metaToUse : undefined;
        return source.run(tool, args, kept === undefined ? rest : { ...rest, meta: kept });
      },
    });
}

const TOKEN_REQUIRED = "mcp.oauth_required";

/** A server wants a token: all clients that log in for the session are asked; the first answer counts. */
export function createTokenRequests(core: SessionCore): AskToken {
  return async ({ server, url, reason, challenge, resourceMetadata }, signal) => {
    if (!isAwaited(core, TOKEN_REQUIRED)) return null;
    const requestId = core.server.around.newId();
    const asked = dropUndefined({
      ...{ requestId, serverName: server, serverUrl: url.href, reason, wwwAuthenticateParams: challenge },
      resourceMetadata: resourceMetadata ?? undefined,
      staticClientConfig: clientConfigOf(givenServers(core)[server]),
    });
    const send = (): void => emitPassing(core, TOKEN_REQUIRED, asked);
    const answer = await askAll(core, "oauth", requestId, asked, send, { signal, answer: { kind: "cancelled" } });
    const token = answer.kind === "token" ? (textOf(answer.accessToken) ?? null) : null;
    emitPassing(core, "mcp.oauth_completed", { requestId, outcome: token === null ? "cancelled" : "token" });
    return token;
  };
}

function clientConfigOf(server: ClientServer | undefined): Json | undefined {
  if (server?.oauthClientId === undefined) return undefined;
  return dropUndefined({ clientId: server.oauthClientId, publicClient: server.oauthPublicClient });
}
