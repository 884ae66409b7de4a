import { hash } from "node:crypto";
import { remember } from "../shape/remember.ts";
import { toCanonicalJson } from "./canonical-json.ts";
import { inspectTool } from "./inspect-tool.ts";
import type { Tool } from "./tool.ts";

/** What an approval is bound to: the signature, and every other claim the source makes about the tool. */
export const toPinnedSignature = remember((shown: Tool): string => {
  const tool = shown.original ?? shown;
  return hash("sha256", `${inspectTool(tool).signature} ${toText(tool.annotations)}`);
});

/** Whether a tool is the pinned one. Earlier locks hold the signature alone, so further claims are not checked. */
export function isAsPinned(pinned: string, tool: Tool): boolean {
  return pinned === toPinnedSignature(tool) || pinned === inspectTool(tool).signature;
}

function toText(annotations: Tool["annotations"]): string {
  try {
    return toCanonicalJson(annotations).text;
  } catch {
    return '"circular"';
  }
}
