import type { ToolResult } from "../../core/call/tool-result.ts";

/** Why a call did not run, as permission handlers of clients say it. */
export const NO_USER = "permission could not be requested from the user";
const NO_USER_TEXT = "Permission denied and could not request permission from user";
const INTERRUPTED = "The execution of this tool, or a previous tool was interrupted.";
const REJECTED = "The user rejected this tool call.";

type Ended = Pick<ToolResult, "textResultForLlm" | "resultType"> & {
  readonly error?: string | null;
  readonly cancelledBy?: ToolResult["cancelledBy"] | null;
};

/** The text of a result as models behind these clients know it; what a tool said itself stays. */
export function say({ textResultForLlm, resultType, error, cancelledBy }: Ended): string {
  if (cancelledBy !== undefined && cancelledBy !== null && cancelledBy !== "timeout") return INTERRUPTED;
  if (/^interrupted: the process/.test(textResultForLlm)) return INTERRUPTED;
  if (error?.endsWith(NO_USER)) return NO_USER_TEXT;
  if (resultType === "rejected" && error?.startsWith("permission.refused")) return REJECTED;
  return textResultForLlm;
}

/** The message of a failed call for people. */
export function sayError(data: { readonly content: string } & Omit<Ended, "textResultForLlm">): string {
  return say({ ...data, textResultForLlm: data.content });
}
