/** One call as a span, in our own terms. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly attributes: ReadonlyMap<string, string>;
  /** Null: success. */
  readonly error: string | null;
  /** Who does the work; a server if absent. */
  readonly kind?: keyof typeof KINDS;
}

/** What reports spans. */
export interface Scope {
  readonly name: string;
  readonly version: string;
}

const KINDS = { internal: 1, server: 2, client: 3 } as const;
const OK = 1;
const ERROR = 2;

/** The body of a POST to `/v1/traces` in the JSON form of OTLP: ids in hex, times as decimal texts of nanoseconds. */
export function toOtlp(spans: readonly Span[], resource: ReadonlyMap<string, string>, scope: Scope) {
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope, spans: spans.map(toSpan) }],
      },
    ],
  };
}

/** Something that happened, as a record of a log. */
export interface LogRecord {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly name: string;
  readonly severity: keyof typeof SEVERITIES;
  readonly text: string;
  readonly attributes: ReadonlyMap<string, string>;
}

const SEVERITIES = { INFO: 9, WARN: 13 } as const;

/** The body of a POST to `/v1/logs`, in the same form. */
export function toOtlpLogs(records: readonly LogRecord[], resource: ReadonlyMap<string, string>, scope: Scope) {
  const now = toNanoseconds(Date.now());
  const logRecords = records.map(({ time, name, severity, text, attributes }) => ({
    timeUnixNano: toNanoseconds(time),
    observedTimeUnixNano: now,
    severityNumber: SEVERITIES[severity],
    severityText: severity,
    eventName: name,
    body: { stringValue: text },
    attributes: toAttributes(attributes),
  }));
  return { resourceLogs: [{ resource: { attributes: toAttributes(resource) }, scopeLogs: [{ scope, logRecords }] }] };
}

/** A span as one line of a file: the same members, with attributes by their names. */
export function toLine(span: Span, scope: Scope) {
  return {
    type: "span",
    ...toSpan(span),
    attributes: Object.fromEntries(span.attributes),
    instrumentationScope: scope,
  };
}

function toSpan({ traceId, spanId, parentSpanId, name, start, end, attributes, error, kind = "server" }: Span) {
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: toNanoseconds(start),
    endTimeUnixNano: toNanoseconds(end),
    attributes: toAttributes(attributes),
    status: error === null ? { code: OK } : { code: ERROR, message: error },
  };
}

function toAttributes(values: ReadonlyMap<string, string>) {
  return [...values].map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

function toNanoseconds(milliseconds: number): string {
  return (BigInt(Math.round(milliseconds * 1000)) * 1000n).toString();
}
