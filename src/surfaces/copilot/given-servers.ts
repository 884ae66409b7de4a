import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Live } from "./live.ts";
import { isJson, type Json, recordOf, textOf, textsOf } from "./wire-values.ts";

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

/** A plugin that cannot be read costs itself. */
function pluginServers({ wire }: Live): Json {
  const found = textsOf(wire.pluginDirectories).map((folder): Json => {
    try {
      const file: unknown = JSON.parse(readFileSync(join(folder, ".mcp.json"), "utf8"));
      return recordOf(recordOf(file).mcpServers);
    } catch {
      return {};
    }
  });
  return Object.assign({}, ...found) as Json;
}
