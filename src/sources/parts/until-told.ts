import type { ToolResult } from "../../core/call/tool-result.ts";
import { untilAborted } from "../../system/time/until-aborted.ts";
import type { RunContext } from "../source.ts";
import { CANCELLED } from "./results.ts";

/** Answers for the work as soon as the call is told to stop, and reports that the work itself goes on. */
export function untilTold(work: Promise<ToolResult>, { signal, stillRuns }: RunContext): Promise<ToolResult> {
  return untilAborted(work, signal, () => {
    stillRuns?.(work);
    return CANCELLED;
  });
}
