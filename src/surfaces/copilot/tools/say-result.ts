import type { ToolResult } from "../../../core/call/tool-result.ts";

const NO_USER_TEXT = "Permission denied and could not request permission from user";
const INTERRUPTED = "The execution of this tool, or a previous tool was interrupted.";
const REJECTED = "The user rejected this tool call.";

type Ended = Pick<ToolResult, "textResultForLlm" | "resultType" | "code"> & {
  readonly cancelledBy?: ToolResult["cancelledBy"] | null;
};

/** The text of a result as models behind these clients know it; what a tool said itself stays. */
export function say({ textResultForLlm, resultType, code, cancelledBy }: Ended): string {
  if (cancelledBy !== undefined && cancelledBy !== null && cancelledBy !== "timeout") return INTERRUPTED;
  if (code === "permission.no-handler") return NO_USER_TEXT;
  if (resultType === "rejected" && code === "permission.refused") return REJECTED;
  return textResultForLlm;
}
