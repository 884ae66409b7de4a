import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { type Tool, toTool } from "../../src/core/tool/tool.ts";
import type { Script } from "../../src/runtime/models/scripted-model.ts";

interface Written {
  readonly name: string;
  readonly description: string;
  readonly asked: readonly string[];
  readonly written: readonly string[];
}

const FILE = new URL("../fixtures/enrich/servers.yaml", import.meta.url);

/** Tools for which no requests ship, requests that people make of them, and a model that writes some. */
export function loadEnrichSet(): {
  readonly tools: readonly Tool[];
  readonly asked: readonly { readonly request: string; readonly tool: string }[];
  readonly written: ReadonlyMap<string, readonly string[]>;
  /** A reply for each server, as it is asked for. */
  readonly script: Script;
} {
  const servers: Readonly<Record<string, readonly Written[]>> = parse(readFileSync(FILE, "utf8"));
  const all = Object.entries(servers).flatMap(([server, tools]) => tools.map((tool) => ({ server, ...tool })));
  return {
    tools: all.map(({ server, name, description }) =>
      toTool({ name, server, source: "mcp", description, inputSchema: { type: "object", properties: {} } }),
    ),
    asked: all.flatMap(({ name, asked }) => asked.map((request) => ({ request, tool: name }))),
    written: new Map(all.map(({ name, written }) => [name, written])),
    // Tools are asked about in the order of the catalog: servers and names by their bytes.
    script: {
      replies: Object.keys(servers)
        .sort()
        .map((server) => {
          const sorted = [...(servers[server] ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
          const numbered = sorted.map(({ written }, at) => [String(at + 1), written]);
          return { text: `Here they are:\n${JSON.stringify(Object.fromEntries(numbered))}` };
        }),
    },
  };
}
