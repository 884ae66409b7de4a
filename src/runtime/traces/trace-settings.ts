/** Where traces are sent, from OpenTelemetry's standard variables. */
export interface TraceSettings {
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly resource: ReadonlyMap<string, string>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Null if traces are not configured, or with a protocol that is not supported. */
export function readTraceSettings(env: Env, version: string): TraceSettings | null {
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim();
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim();
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || "http/json";
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return null;
  if (env.OTEL_TRACES_EXPORTER?.trim() === "none" || protocol === "grpc") return null;
  const url = own || (base ? `${base.replace(/\/+$/, "")}/v1/traces` : "");
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return null;
  return {
    url,
    headers: readPairs(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS || env.OTEL_EXPORTER_OTLP_HEADERS),
    resource: reportingResource(env, version),
  };
}

/** What reports, as a collector shows it. */
export function reportingResource(env: Env, version: string): ReadonlyMap<string, string> {
  const given = readPairs(env.OTEL_RESOURCE_ATTRIBUTES);
  const name = env.OTEL_SERVICE_NAME || given.get("service.name") || "toolcrib";
  return new Map([...given, ["service.name", name], ["service.version", version]]);
}

/** `key=value,key=value`, with values percent-encoded; malformed pairs are left out. */
function readPairs(text: string | undefined): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const pair of (text ?? "").split(",")) {
    const at = pair.indexOf("=");
    if (at <= 0) continue;
    try {
      pairs.set(pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim()));
    } catch {
      // Not properly encoded.
    }
  }
  return pairs;
}
