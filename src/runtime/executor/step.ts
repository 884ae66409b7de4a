import type { ToolResult } from "../../core/call/tool-result.ts";

/** The outcome of a stage: on to the next one, or the end of the call with its result. */
export type Step<T> = { readonly kind: "go"; readonly value: T } | Ended;

export interface Ended {
  readonly kind: "end";
  readonly result: ToolResult;
  /** The model is not asked again in this turn. */
  readonly endTurn: boolean;
}

export function go<T>(value: T): Step<T> {
  return { kind: "go", value };
}

export function end(result: ToolResult, endTurn = false): Ended {
  return { kind: "end", result, endTurn };
}

/** A failure whose reason the model may read and act on. */
export function endWith(textResultForLlm: string, resultType: ToolResult["resultType"], error?: string): Ended {
  return end({ textResultForLlm, resultType, error: error ?? textResultForLlm });
}

/** The same for a tool that is no longer what was offered. */
export function endGone(text: string, resultType: ToolResult["resultType"], code: string, name: string): Ended {
  return end({ textResultForLlm: text, resultType, error: `${code}: ${name}`, code });
}
