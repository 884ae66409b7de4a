import type { SessionEvent } from "../../../core/events/envelope.ts";
import { describeLimit } from "../../../core/limits/describe-limit.ts";
import type { LimitFigures } from "../../../runtime/limits/limit-desk.ts";
import { isServer, type Source, type SourceState } from "../../../sources/source.ts";
import { createPassingMap, type PassingMap } from "../../../system/passing.ts";
import type { Teller } from "../api/event-feed.ts";
import type { MetricsPort } from "../door/http-server.ts";
import { createCounters, createHistogram, type MetricFamily, toPrometheusText } from "./prometheus-text.ts";

/** Values that are read when somebody reads the metrics. */
export interface Gauges {
  readonly servers: () => readonly {
    readonly kind: Source["kind"];
    readonly status: { readonly state: SourceState };
  }[];
  readonly clients: () => number;
  /** Connections that belong to one person each. */
  readonly personConnections: () => number;
  readonly approvals: () => number;
  /** Every limit, with what came of it here. */
  readonly limits: () => readonly LimitFigures[];
  /** Null while no traces are sent. */
  readonly traces: () => { readonly exported: number; readonly dropped: number } | null;
}

export interface Metrics extends MetricsPort {
  record(teller: Teller, event: SessionEvent): void;
}

/** Names come from servers, so there may be any number. */
const MAX_TOOLS = 300;
/** Calls of one session with a decision but no end yet. */
const MAX_OPEN = 10_000;
const CALL_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const INSIDE_BOUNDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1];
const STATES: readonly SourceState[] = ["starting", "connected", "stale", "failed", "needs-auth", "disabled"];

export function createMetrics(gauges: Gauges): Metrics {
  const calls = createCounters(["tool", "result", "decision"], MAX_TOOLS);
  const durations = createHistogram(CALL_BOUNDS);
  const inside = createHistogram(INSIDE_BOUNDS);
  const requests = createCounters(["route"], 20);
  const refusals = createCounters(["code"], 40);
  const decided = new WeakMap<
    Teller,
    PassingMap<string, { readonly decision: string; readonly requestId: string | null }>
  >();

  const families = (): readonly MetricFamily[] => {
    const traces = gauges.traces();
    const states = gauges.servers().flatMap((source) => (isServer(source) ? [source.status.state] : []));
    return [
      counter("toolcrib_calls_total", "Calls of tools, by what became of them.", calls.samples()),
      histogram("toolcrib_call_duration_seconds", "Time from a call's arrival to its result.", durations.samples()),
      histogram(
        "toolcrib_call_inside_seconds",
        "Part of that time in Toolcrib itself, where nobody was asked.",
        inside.samples(),
      ),
      counter("toolcrib_http_requests_total", "HTTP requests, by route.", requests.samples()),
      counter("toolcrib_http_refusals_total", "HTTP requests that were refused, by code.", refusals.samples()),
      gauge(
        "toolcrib_servers",
        "MCP servers, by state.",
        STATES.map((state) => ({ labels: { state }, value: states.filter((each) => each === state).length })),
      ),
      gauge("toolcrib_person_connections", "Connections to servers that belong to one person each.", [
        { value: gauges.personConnections() },
      ]),
      gauge("toolcrib_clients", "MCP clients that are connected.", [{ value: gauges.clients() }]),
      gauge("toolcrib_approvals_pending", "Calls that wait for a person.", [{ value: gauges.approvals() }]),
      ...limitFamilies(gauges.limits()),
      ...(traces === null
        ? []
        : [
            counter("toolcrib_trace_spans_exported_total", "Spans that a collector took.", [
              { value: traces.exported },
            ]),
            counter("toolcrib_trace_spans_dropped_total", "Spans that were lost.", [{ value: traces.dropped }]),
          ]),
      ...processFamilies(),
    ];
  };

  return {
    countRequest: (route) => requests.add(route),
    countRefusal: (code) => refusals.add(code),
    record(teller, event) {
      if (event.type === "permission.completed") {
        const own = decided.get(teller) ?? createPassingMap();
        decided.set(teller, own);
        const oldest = own.size >= MAX_OPEN ? own.oldest() : undefined;
        if (oldest !== undefined) own.delete(oldest);
        own.set(event.data.toolCallId, event.data);
      } else if (event.type === "tool.execution_complete") {
        const { toolCallId, toolName, resultType, duration, ran } = event.data;
        const own = decided.get(teller);
        const decision = own?.get(toolCallId);
        own?.delete(toolCallId);
        calls.add(toolName, resultType, decision?.decision ?? "none");
        durations.observe(duration / 1000);
        // If somebody was asked, it is their time.
        if (ran !== undefined && (decision?.requestId ?? null) === null) inside.observe((duration - ran) / 1000);
      }
    },
    render: () => toPrometheusText(families()),
  };
}

const familyOf =
  (type: MetricFamily["type"]) =>
  (name: string, help: string, samples: MetricFamily["samples"]): MetricFamily => ({ name, help, type, samples });
const [counter, histogram, gauge] = [familyOf("counter"), familyOf("histogram"), familyOf("gauge")];

/** By their own words, which name their line; nothing where there are no limits. */
function limitFamilies(limits: readonly LimitFigures[]): readonly MetricFamily[] {
  if (limits.length === 0) return [];
  const [hard, soft] = [limits.filter(({ limit }) => !limit.isSoft), limits.filter(({ limit }) => limit.isSoft)];
  const toSample = (value: (of: LimitFigures) => number) => (of: LimitFigures) => ({
    labels: { limit: describeLimit(of.limit) },
    value: value(of),
  });
  return [
    counter(
      "toolcrib_limit_refusals_total",
      "Calls that a limit refused.",
      hard.map(toSample(({ refused }) => refused)),
    ),
    counter(
      "toolcrib_limits_passed_total",
      "How often a soft limit was passed.",
      soft.map(toSample(({ passed }) => passed)),
    ),
  ];
}

function processFamilies(): readonly MetricFamily[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const cpu = (user + system) / 1e6;
  return [
    gauge("process_resident_memory_bytes", "Resident memory.", [{ value: rss }]),
    gauge("nodejs_heap_size_used_bytes", "Memory in use by JavaScript.", [{ value: heapUsed }]),
    counter("process_cpu_seconds_total", "CPU time, of the program and for it.", [{ value: cpu }]),
    gauge("process_start_time_seconds", "When it started.", [{ value: performance.timeOrigin / 1000 }]),
  ];
}
