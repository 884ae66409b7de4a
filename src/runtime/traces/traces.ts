import { randomBytes } from "node:crypto";
import type { SessionEvent } from "../../core/events/envelope.ts";
import { type Span, toOtlp } from "./otlp.ts";
import { readTraceSettings, type TraceSettings } from "./trace-settings.ts";
import { readTraceParent, type TraceParent } from "./traceparent.ts";

/** Spans of calls, sent to a collector in batches. Nothing ever waits for it. */
export interface Traces {
  record(sessionId: string, event: SessionEvent): void;
  readonly exported: number;
  /** Spans that did not fit, or that no collector accepted. */
  readonly dropped: number;
  /** Sends the remaining spans, within a few seconds. Twice is fine. */
  close(): Promise<void>;
}

export interface TraceOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly onError?: (text: string, error: unknown) => void;
  /** Milliseconds between two batches. */
  readonly delay?: number;
}

const MAX_QUEUE = 2_048;
const MAX_BATCH = 512;
/** Calls that have begun and not ended. */
const MAX_OPEN = 10_000;
const DELAY = 5_000;
const TIMEOUT = 10_000;
const LAST_TIMEOUT = 3_000;

interface Decided {
  readonly decision: string;
  readonly code: string;
}

/** Null if the environment does not configure traces. Arguments and results of calls are never part of a span. */
export function createTraces({ env, version, onError = () => {}, delay = DELAY }: TraceOptions): Traces | null {
  const settings = readTraceSettings(env, version);
  if (settings === null) return null;
  const decided = new Map<string, Decided>();
  const queue: Span[] = [];
  let [exported, dropped, failing] = [0, 0, false];
  let timer: NodeJS.Timeout | null = null;
  let sending: Promise<void> | null = null;
  let closed: Promise<void> | null = null;

  const send = async (timeout: number): Promise<void> => {
    const batch = queue.splice(0, MAX_BATCH);
    if (batch.length === 0) return;
    try {
      await post(settings, JSON.stringify(toOtlp(batch, settings.resource, version)), timeout);
      exported += batch.length;
      failing = false;
    } catch (error) {
      dropped += batch.length;
      if (!failing) onError("traces could not be sent", error);
      failing = true;
    }
  };
  const schedule = (): void => {
    if (timer !== null || sending !== null || closed !== null) return;
    timer = setTimeout(() => {
      timer = null;
      sending = send(TIMEOUT).finally(() => {
        sending = null;
        if (queue.length > 0) schedule();
      });
    }, delay).unref();
  };

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
        if (parent?.sampled === false) return;
        if (queue.length >= MAX_QUEUE || closed !== null) dropped += 1;
        else queue.push(toSpan(event.data, parent, decision));
        schedule();
      }
    },
    get exported() {
      return exported;
    },
    get dropped() {
      return dropped;
    },
    close() {
      closed ??= (async () => {
        if (timer !== null) clearTimeout(timer);
        await sending;
        for (let before = queue.length; before > 0; before = failing ? 0 : queue.length) await send(LAST_TIMEOUT);
        dropped += queue.splice(0).length;
      })();
      return closed;
    },
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

async function post({ url, headers }: TraceSettings, body: string, timeout: number): Promise<void> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { ...Object.fromEntries(headers), "content-type": "application/json" },
    body,
    redirect: "error",
    signal: AbortSignal.timeout(timeout),
  });
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
}
