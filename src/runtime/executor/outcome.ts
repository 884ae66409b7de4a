import type { Call } from "../../core/call/call.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";

/** What became of one call. There is exactly one for every complete call, in request order. */
export interface Outcome {
  readonly call: Call;
  readonly result: ToolResult;
  /** What it ran with, or would have; hooks may have changed it. */
  readonly arguments: unknown;
  /** For the model to read after the result; from hooks. */
  readonly additionalContext: readonly string[];
  /** False: the model never confirmed the call, and the result is for the log alone. */
  readonly sendToModel: boolean;
  /** The model is not asked again in this turn. */
  readonly endTurn: boolean;
}
