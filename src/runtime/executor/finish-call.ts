import type { Call } from "../../core/call/call.ts";
import type { Cancelling } from "../../core/call/cancelling.ts";
import { known, type Stage } from "../../core/call/eventual.ts";
import { reword, type ToolResult } from "../../core/call/tool-result.ts";
import { afterLargeWork, isLargeWork } from "../../system/time/after-large-work.ts";
import { cleanResult } from "./clean-result.ts";
import type { ExecutorPorts } from "./ports.ts";
import type { PreparedCall } from "./prepare-call.ts";

export interface Finished {
  readonly result: ToolResult;
  readonly additionalContext: readonly string[];
  readonly endTurn: boolean;
}

/** Last stage: untrusted text is cleaned, filters look through it, post-tool hooks see the result, then it is cut to what a model can take. */
export function* finishCall(
  prepared: PreparedCall,
  ran: ToolResult,
  duration: number,
  cancelling: Cancelling,
  ports: Pick<ExecutorPorts, "hooks" | "filters" | "spill" | "limits" | "onError" | "storeLong">,
  resultBytes = ports.limits.resultBytes,
): Stage<Finished> {
  const cleaned = cleanResult(prepared.tool, ran);
  if (isLargeWork(cleaned.textResultForLlm.length)) yield* known(afterLargeWork());
  const { filters } = ports;
  const own = filters === undefined ? cleaned : yield* known(filters.result(prepared, cleaned, cancelling));
  const hooked = yield* known(ports.hooks.post(prepared, own, duration, cancelling));
  const { result: changed = own, additionalContext } = hooked;
  const isDone = prepared.tool.isTerminal && changed.resultType === "success";
  const endTurn = hooked.endTurn || isDone || changed.resultType === "rejected";
  const whole = changed === own ? own : yield* filterAgain(prepared, changed, cancelling, ports);
  const size = Buffer.byteLength(whole.textResultForLlm);
  const isLong = size > resultBytes;
  const result = isLong ? yield* known(shorten(prepared.call, whole, { size, resultBytes }, ports)) : whole;
  return { result, additionalContext, endTurn };
}

/** What a hook put in its place passes the filters too. */
function* filterAgain(
  prepared: PreparedCall,
  changed: ToolResult,
  cancelling: Cancelling,
  { filters }: Pick<ExecutorPorts, "filters">,
): Stage<ToolResult> {
  const result = reword(changed, changed.textResultForLlm);
  return filters === undefined ? result : yield* known(filters.result(prepared, result, cancelling));
}

const HEAD = 4_096;
const TAIL = 1_024;

/** X10: a result that is too long goes to a file, and the model gets both ends of it and the path. */
async function shorten(
  call: Call,
  result: ToolResult,
  { size, resultBytes }: { readonly size: number; readonly resultBytes: number },
  { spill, onError, storeLong }: Pick<ExecutorPorts, "spill" | "onError" | "storeLong">,
): Promise<ToolResult> {
  const { textResultForLlm: text } = result;
  if (storeLong !== undefined) return reword(result, await storeLong(text));
  const head = cut(text, Math.min(HEAD, Math.floor(resultBytes / 2)), "start");
  const tail = cut(text, Math.min(TAIL, Math.floor(resultBytes / 8)), "end");
  const where = await spill.write(call, text).catch((error: unknown) => {
    onError("a long result could not be kept", error);
    return null;
  });
  const kept =
    where === null ? "The rest could not be kept." : `All of it is in the file ${where}; read the parts you need.`;
  const shown = `The result has ${size} bytes, too many to show. ${kept}\n\nIt starts with:\n${head}\n\nIt ends with:\n${tail}`;
  const { structured: _, ...shortened } = reword(result, shown);
  return shortened;
}

/** Never in the middle of a character. */
function cut(text: string, length: number, from: "start" | "end"): string {
  const part = from === "start" ? text.slice(0, length) : text.slice(-length);
  return from === "start" ? part.replace(/[\ud800-\udbff]$/, "") : part.replace(/^[\udc00-\udfff]/, "");
}
