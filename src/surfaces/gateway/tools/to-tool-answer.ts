import type { BinaryResult, ToolResult } from "../../../core/call/tool-result.ts";
import type { Outcome } from "../../../runtime/executor/outcome.ts";
import type { McpResult } from "../../../sources/mcp/mcp-result.ts";
import { withDropped } from "../../../system/text/clean-content.ts";
import { isObject, type Params, type ProtocolAnswer } from "../wire/json-rpc.ts";

const CODE_KEY = "toolcrib/code";

/**
 * A result in the form of `tools/call`: the server's own answer if it still is the result, else what the pipeline made.
 */
export function toToolAnswer({ result, additionalContext }: Outcome): ProtocolAnswer {
  const { wire, wireError, code }: McpResult = result;
  if (wire !== undefined)
    return { kind: "result", result: additionalContext.length === 0 ? wire : append(wire, additionalContext) };
  if (wireError !== undefined) return { kind: "error", ...wireError };
  const text = [result.textResultForLlm, ...additionalContext].join("\n\n");
  if (code !== undefined && result.resultType !== "success") return { kind: "result", result: refused(text, code) };
  const { structured, binaryResultsForLlm: binary = [], dropped = 0 } = result;
  return {
    kind: "result",
    result: {
      content: [{ type: "text", text }, ...binary.map(toContent)],
      ...(isObject(structured) ? { structuredContent: structured } : {}),
      ...(isFailure(result) ? { isError: true } : {}),
      ...(dropped === 0 ? {} : { _meta: withDropped(undefined, dropped) }),
    },
  };
}

/** The code is in the text too, because clients show nothing else. */
function refused(text: string, code: string): Params {
  return { content: [{ type: "text", text: `${text} [${code}]` }], isError: true, _meta: { [CODE_KEY]: code } };
}

function append(result: Params, context: readonly string[]): Params {
  const content = Array.isArray(result.content) ? result.content : [];
  return { ...result, content: [...content, ...context.map((text) => ({ type: "text", text }))] };
}

function isFailure({ resultType }: ToolResult): boolean {
  return resultType !== "success";
}

function toContent({ data, mimeType }: BinaryResult, at: number): Params {
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return { type: "resource", resource: { uri: `toolcrib:result/${at}`, mimeType, blob: data } };
}
