import type { ToolResult } from "../../core/call/tool-result.ts";

/** No reason: the one who cancelled knows it. */
export const CANCELLED: ToolResult = {
  textResultForLlm: "The call was cancelled.",
  resultType: "failure",
  error: "the call was cancelled",
};

export const CLOSED: ToolResult = {
  textResultForLlm: "The session is closed.",
  resultType: "failure",
  error: "the source of the tool is closed",
};

/** A failure whose reason the model may read. */
export function failure(textResultForLlm: string, error: string = textResultForLlm): ToolResult {
  return { textResultForLlm, resultType: "failure", error };
}

export function unknownTool(name: string): ToolResult {
  return failure(`There is no tool ${JSON.stringify(name)} here any more.`);
}
