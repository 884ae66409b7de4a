import type { Sourced } from "../core/codes/origin.ts";
import type { ServerMatch } from "../core/scene/scene.ts";
import { type ConfigNode, nodeAt } from "./config-node.ts";
import { readNames, readText } from "./read-node.ts";

/** A line of a policy's server list: a name, or one of `serverName`, `serverUrl`, `serverCommand`. */
export function toServerMatch(node: ConfigNode): Sourced<ServerMatch> {
  const { origin } = node;
  if (node.kind === "scalar") return { value: { by: "name", name: String(node.value) }, origin };
  const url = readText(nodeAt(node, "serverUrl"));
  if (url !== null) return { value: { by: "url", url: url.value }, origin };
  const argv = readNames(nodeAt(node, "serverCommand"));
  if (argv !== null) return { value: { by: "command", argv: argv.value.map(({ value }) => value) }, origin };
  return { value: { by: "name", name: readText(nodeAt(node, "serverName"))?.value ?? "" }, origin };
}
