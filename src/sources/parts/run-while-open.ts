import { setMaxListeners } from "node:events";
import type { ToolResult } from "../../core/call/tool-result.ts";
import { onAbort } from "../../system/time/until-aborted.ts";
import type { RunContext } from "../source.ts";
import { CANCELLED, CLOSED } from "./results.ts";

/**
 * Runs a call of an open source under a signal that is aborted with the call or with the source (`closing`), and
 * releases both when the work is done. `AbortSignal.any` would leak a little memory per call for as long as the source
 * lives.
 */
export async function runWhileOpen(
  closing: AbortSignal,
  context: RunContext,
  run: (context: RunContext) => Promise<ToolResult> | ToolResult,
): Promise<ToolResult> {
  if (closing.aborted) return CLOSED;
  if (context.signal.aborted) return CANCELLED;
  // There may be any number of calls at once, including calls inside calls.
  setMaxListeners(0, closing);
  const controller = new AbortController();
  const letGo = [context.signal, closing].map((signal) => onAbort(signal, () => controller.abort(signal.reason)));
  try {
    return await run({ ...context, signal: controller.signal });
  } finally {
    for (const each of letGo) each();
  }
}
