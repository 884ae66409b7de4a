import { type ConfigNode, nodeAt } from "../../core/shape/node.ts";
import type { Flaw } from "../../core/shape/shape.ts";

/** What is wrong with the address under that key; variables in it are not known yet. */
export function checkWebAddress(node: ConfigNode, key: string): Flaw | null {
  const url = nodeAt(node, key);
  if (url?.kind !== "scalar" || typeof url.value !== "string" || url.value.includes("$")) return null;
  const isWeb = URL.canParse(url.value) && /^https?:$/.test(new URL(url.value).protocol);
  return isWeb ? null : { text: "must be an http or https address", origin: url.origin };
}
