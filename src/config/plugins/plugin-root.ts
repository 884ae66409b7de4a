import { type ConfigNode, mapNode } from "../../core/shape/node.ts";

const ROOT = /\$\{(?:CLAUDE_|COPILOT_)?PLUGIN_ROOT\}/g;

/** Replaces the variable for the plugin's folder with its path. */
export function withRoot(folder: string): (text: string) => string {
  return (text) => text.replaceAll(ROOT, () => folder);
}

/** The same tree with every text changed. */
export function mapTexts(node: ConfigNode, change: (text: string) => string): ConfigNode {
  if (node.kind === "scalar") return typeof node.value === "string" ? { ...node, value: change(node.value) } : node;
  if (node.kind === "list") return { ...node, items: node.items.map((item) => mapTexts(item, change)) };
  return mapNode(
    [...node.entries].map(([key, value]) => [key, mapTexts(value, change)] as const),
    node.origin,
  );
}

/** The same tree, with the plugin added to every origin in one of its files. */
export function withPlugin(node: ConfigNode, plugin: string): ConfigNode {
  const origin = node.origin.kind === "file" ? { ...node.origin, plugin } : node.origin;
  if (node.kind === "scalar") return { ...node, origin };
  if (node.kind === "list") return { ...node, origin, items: node.items.map((item) => withPlugin(item, plugin)) };
  return mapNode(
    [...node.entries].map(([key, value]) => [key, withPlugin(value, plugin)] as const),
    origin,
  );
}
