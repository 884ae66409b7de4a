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
}

const SERVER_KIND = 2;
const OK = 1;
const ERROR = 2;

/** The body of a POST to `/v1/traces` in the JSON form of OTLP: ids in hex, times as decimal texts of nanoseconds. */
export function toOtlp(spans: readonly Span[], resource: ReadonlyMap<string, string>, version: string) {
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope: { name: "toolcrib", version }, spans: spans.map(toSpan) }],
      },
    ],
  };
}

function toSpan({ traceId, spanId, parentSpanId, name, start, end, attributes, error }: Span) {
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: SERVER_KIND,
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
