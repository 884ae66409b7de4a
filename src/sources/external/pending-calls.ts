import { randomUUID } from "node:crypto";
import { fromSignal } from "../../core/call/cancelling.ts";
import { fromThrown, type ToolResult } from "../../core/call/tool-result.ts";
import type { ExternalCompletion, ExternalRequest } from "../../core/events/event-types.ts";
import type { Owner, Tool } from "../../core/tool/tool.ts";
import { CANCELLED } from "../parts/results.ts";
import type { RunContext } from "../source.ts";
import { ownerKey } from "./owner.ts";

export interface CallPorts {
  /** Creates the id of a call's request. */
  readonly newId?: (toolCallId: string) => string;
  readonly onRequested?: (request: ExternalRequest) => void;
  readonly onCompleted?: (completion: ExternalCompletion) => void;
}

/** Calls that wait for an answer from outside. Each is settled once; later answers are ignored. */
export interface PendingCalls {
  request(
    owner: Owner,
    tool: Tool,
    args: Readonly<Record<string, unknown>>,
    context: RunContext,
    onRequested: (request: ExternalRequest) => void,
  ): Promise<ToolResult>;
  has(requestId: string): boolean;
  /** Whether somebody was waiting for it. */
  settle(requestId: string, result: ToolResult): boolean;
  /** Settles the calls that wait for that owner, or all. */
  settleAll(result: ToolResult, owner?: Owner): void;
}

interface Waiting {
  readonly owner: Owner;
  readonly settle: (result: ToolResult) => void;
}

export function createPendingCalls({
  newId = () => randomUUID(),
  onCompleted,
}: Omit<CallPorts, "onRequested"> = {}): PendingCalls {
  const waiting = new Map<string, Waiting>();
  const settle = (requestId: string, result: ToolResult): boolean => {
    const call = waiting.get(requestId);
    waiting.delete(requestId);
    call?.settle(result);
    return call !== undefined;
  };
  return {
    has: (requestId) => waiting.has(requestId),
    settle,
    request: (owner, tool, args, context, onRequested) =>
      new Promise((resolve) => {
        const { sessionId, toolCallId } = context;
        const cancelling = context.cancelling ?? fromSignal(context.signal);
        if (cancelling.isCancelled) return resolve(CANCELLED);
        const requestId = newId(toolCallId);
        const about = { requestId, owner, toolCallId, toolName: tool.name };
        const letGo = cancelling.onCancel(() => void settle(requestId, CANCELLED));
        waiting.set(requestId, {
          owner,
          settle: (result) => {
            letGo();
            resolve(result);
            onCompleted?.({ ...about, resultType: result.resultType });
          },
        });
        try {
          onRequested({ ...about, sessionId, arguments: args });
        } catch (error) {
          settle(requestId, fromThrown(error));
        }
      }),
    settleAll(result, owner) {
      for (const [requestId, call] of [...waiting]) {
        if (owner === undefined || ownerKey(call.owner) === ownerKey(owner)) settle(requestId, result);
      }
    },
  };
}
