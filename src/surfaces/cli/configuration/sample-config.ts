import { fileURLToPath } from "node:url";
import type { MapNode } from "../../../core/shape/node.ts";
import { toNode } from "../../../core/shape/node.ts";

/** What works with no configuration, no network and no key: tools that only read, and the server that ships with us. */
export function sampleConfig(): MapNode {
  const sample = {
    command: process.execPath,
    args: [fileURLToPath(new URL("../../sample/sample-server.js", import.meta.url))],
    trustAnnotations: true,
  };
  const value = {
    mcpServers: { sample },
    includeTools: ["read", "search", "agent", "sample"],
    gateway: { builtins: "all" },
  };
  const node = toNode(value, { kind: "default" });
  if (node.kind !== "map") throw new TypeError("an object is a map");
  return node;
}
