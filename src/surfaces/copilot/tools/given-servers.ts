import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Live } from "../state/live.ts";
import { isJson, type Json, recordOf, stated, textOf, textsOf } from "../wire/wire-values.ts";

/** All servers of a session: those of its options, of its plugins, and GitHub's own where it is wanted. */
export function givenServers(live: Live): Json {
  return { ...pluginServers(live), ...gitHubServer(live), ...recordOf(live.wire.mcpServers) };
}

/** The same, and those that were found in files, by name; of these only where they are is told. */
export function knownServers(live: Live): Json {
  return { ...foundServers(live), ...givenServers(live) };
}

function foundServers({ project, wire }: Live): Json {
  if (wire.enableConfigDiscovery !== true || project === null) return {};
  const rows = [...project.servers].map(([name, { transport }]) => [
    name,
    transport.type === "stdio" ? {} : { url: transport.url },
  ]);
  return Object.fromEntries(rows) as Json;
}

function gitHubServer({ wire, server }: Live): Json {
  const base = server.around.env.COPILOT_API_URL;
  if (wire.enableConfigDiscovery !== true || !isJson(wire.githubMcpToolConfig) || !base) return {};
  const { enableAllTools, additionalToolsets, additionalTools, enableInsidersMode } = wire.githubMcpToolConfig;
  const toolsets = enableAllTools === true ? "all" : textsOf(additionalToolsets).join(",");
  const token = textOf(wire.gitHubToken) ?? server.gitHubToken;
  const headers = {
    ...(toolsets === "" ? {} : { "x-mcp-toolsets": toolsets }),
    ...(enableAllTools === true || !Array.isArray(additionalTools) ? {} : { "x-mcp-tools": additionalTools.join(",") }),
    ...(enableInsidersMode === true ? { "x-mcp-insiders": "true" } : {}),
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  return { "github-mcp-server": { type: "http", url: `${base.replace(/\/+$/, "")}/mcp`, headers } };
}

function pluginServers({ wire }: Live): Json {
  const found = textsOf(wire.pluginDirectories).map((folder) => recordOf(readFile(folder, ".mcp.json").mcpServers));
  return Object.assign({}, ...found) as Json;
}

/** The plugins of a session, as their own files describe them. */
export function listPlugins({ wire }: Live): readonly Json[] {
  return textsOf(wire.pluginDirectories).map((folder) => {
    const { name, version } = readFile(folder, "plugin.json");
    const about = { name: textOf(name) ?? basename(folder), marketplace: "", version: textOf(version) };
    return stated({ ...about, enabled: true }) as Json;
  });
}

/** A plugin that cannot be read costs itself. */
function readFile(folder: string, name: string): Json {
  try {
    const file: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
    return recordOf(file);
  } catch {
    return {};
  }
}
