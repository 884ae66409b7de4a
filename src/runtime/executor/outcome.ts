import type { Call } from "../../core/call/call.ts";
import type { ToolResult } from "../../core/call/tool-result.ts";

/** The outcome of one call. There is exactly one for every complete call, in request order. */
export interface Outcome {
  readonly call: Call;
  readonly result: ToolResult;
  /** The arguments that it ran with, or would have; hooks may have changed them. */
  readonly arguments: unknown;
  /** From hooks, for the model to read after the result. */
  readonly additionalContext: readonly string[];
  /** False: the model never confirmed the call, and the result is only for the log. */
  readonly sendToModel: boolean;
  /** The model is not asked again in this turn. */
  readonly endTurn: boolean;
}
