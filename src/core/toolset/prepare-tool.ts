import { readTold } from "../catalog/told-about.ts";
import { inspectTool } from "../tool/inspect-tool.ts";
import type { Tool } from "../tool/tool.ts";
import { scanSteps } from "../trust/scan-entry.ts";

/**
 * Works out what a catalog and its gates will want to know of a definition, in small steps, so that building them later
 * takes little time. What is known already costs nothing.
 */
export function* prepareTool(tool: Tool): Generator<void, void, void> {
  const { scanned } = inspectTool(tool);
  yield;
  if (!scanned) return;
  readTold(tool);
  yield* scanSteps(tool);
}
