import { readTold } from "../catalog/told-about.ts";
import { inspectTool } from "../tool/inspect-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { scanSteps } from "../trust/scan-entry.ts";

/**
 * Computes what a catalog and its gates need of a definition, in small steps, so that building them later is quick.
 * Cached results cost nothing.
 */
export function* prepareTool(tool: Tool): Generator<void, void, void> {
  yield* scanSteps(tool);
  const { scanned } = inspectTool(tool);
  yield;
  if (scanned) readTold(tool);
}
