import { randomBytes } from "node:crypto";
import type { SessionEvent } from "../../core/events/envelope.ts";
import { type Span, toOtlp } from "./otlp.ts";
import { postSpans } from "./post-to.ts";
import { createSpanQueue, type SpanQueue } from "./span-queue.ts";
import { readTraceSettings } from "./trace-settings.ts";
import { readTraceParent, type TraceParent } from "./traceparent.ts";

/** Spans of calls, sent to a collector in batches. Nothing ever waits for it. */
export interface Traces extends Omit<SpanQueue, "add"> {
  record(sessionId: string, event: SessionEvent): void;
}

export interface TraceOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly onError?: (text: string, error: unknown) => void;
  /** Milliseconds between two batches. */
  readonly delay?: number;
}

/** Calls that have begun and not ended. */
const MAX_OPEN = 10_000;

interface Decided {
  readonly decision: string;
  readonly code: string;
}

/** Null if the environment does not configure traces. Arguments and results of calls are never part of a span. */
export function createTraces({ env, version, onError = () => {}, delay }: TraceOptions): Traces | null {
  const settings = readTraceSettings(env, version);
  if (settings === null) return null;
  const decided = new Map<string, Decided>();
  const scope = { name: "toolcrib", version };
  const queue = createSpanQueue({
    send: (batch, timeout) => postSpans(settings, toOtlp(batch, settings.resource, scope), timeout),
    onError,
    ...(delay === undefined ? {} : { delay }),
  });
  return {
    record(sessionId, event) {
      if (event.type === "permission.completed") {
        const [oldest] = decided.size >= MAX_OPEN ? decided.keys() : [];
        if (oldest !== undefined) decided.delete(oldest);
        decided.set(`${sessionId} ${event.data.toolCallId}`, event.data);
      } else if (event.type === "tool.execution_complete") {
        const key = `${sessionId} ${event.data.toolCallId}`;
        const decision = decided.get(key) ?? null;
        decided.delete(key);
        const parent = readTraceParent(event.data.traceparent ?? "");
        if (parent?.sampled !== false) queue.add(toSpan(event.data, parent, decision));
      }
    },
    get exported() {
      return queue.exported;
    },
    get dropped() {
      return queue.dropped;
    },
    close: queue.close,
  };
}

type Completed = Extract<SessionEvent, { type: "tool.execution_complete" }>["data"];

/** Names follow OpenTelemetry's conventions for MCP. */
function toSpan(
  { toolCallId, toolName, resultType, duration }: Completed,
  parent: TraceParent | null,
  decision: Decided | null,
): Span {
  const end = Date.now();
  return {
    traceId: parent?.traceId ?? randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    parentSpanId: parent?.spanId ?? null,
    name: `tools/call ${toolName}`,
    start: end - duration,
    end,
    attributes: new Map([
      ["mcp.method.name", "tools/call"],
      ["gen_ai.operation.name", "execute_tool"],
      ["gen_ai.tool.name", toolName],
      ["gen_ai.tool.call.id", toolCallId],
      ["toolcrib.result", resultType],
      ...(decision === null
        ? []
        : ([
            ["toolcrib.decision", decision.decision],
            ["toolcrib.decision.code", decision.code],
          ] as const)),
      ...(resultType === "success" ? [] : ([["error.type", resultType]] as const)),
    ]),
    error: resultType === "success" ? null : resultType,
  };
}
