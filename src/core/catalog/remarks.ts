import type { Inspection } from "../tool/inspect-tool.ts";
import { isScanned, type Tool } from "../tool/tool.ts";
import { isPart } from "./continued-text.ts";
import { readTold, type Told } from "./told-about.ts";

/** What a description says that only other tools show the meaning of. */
export interface Remarks {
  /** The orders it gives about tools. */
  readonly told: Told;
  /** It is likely to be a part of a text. */
  readonly isPart: boolean;
}

/** Null for most tools: their descriptions speak of nothing else, or nobody scans them. */
export function readRemarks(shown: Tool, inspection: Inspection): Remarks | null {
  const tool = shown.original ?? shown;
  if (!isScanned(tool)) return null;
  const remarks = { told: readTold(tool), isPart: isPart(tool) };
  return (remarks.told.size === 0 && !remarks.isPart) || !inspection.scanned ? null : remarks;
}
