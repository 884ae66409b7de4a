import { appendFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Span, toLine, toOtlp } from "../../../runtime/traces/otlp.ts";
import { postSpans } from "../../../runtime/traces/post-to.ts";
import { createSpanQueue } from "../../../runtime/traces/span-queue.ts";
import { readTraceSettings } from "../../../runtime/traces/trace-settings.ts";
import { createTurnSpans, type TurnSpans } from "../../../runtime/traces/turn-spans.ts";
import type { Surroundings } from "../../../system/surroundings.ts";

/** Spans of the sessions of this process, as an app wants them exported. */
export interface Telemetry extends TurnSpans {
  /** Sends what is left. */
  close(): Promise<void>;
}

interface TelemetryOptions {
  readonly around: Pick<Surroundings, "env" | "cwd">;
  readonly version: string;
  readonly note: (text: string) => void;
  /** Takes out what nobody may see. */
  readonly hide: (text: string) => string;
}

/** Null where no app asked for it, or where there is no way to export it, of which the operator is told. */
export function openTelemetry({ around, version, note, hide }: TelemetryOptions): Telemetry | null {
  const { env } = around;
  if (env.COPILOT_OTEL_ENABLED !== "true") return null;
  const scope = { name: env.COPILOT_OTEL_SOURCE_NAME || "toolcrib", version };
  const send =
    env.COPILOT_OTEL_EXPORTER_TYPE === "file" || isFileAlone(env)
      ? toFile(around, scope)
      : toCollector(env, scope, note);
  if (typeof send === "string") {
    note(`telemetry is not exported: ${send}`);
    return null;
  }
  const queue = createSpanQueue({ send, onError: (text, error) => note(`${text}: ${String(error)}`) });
  const hidden = (span: Span): Span => ({
    ...span,
    attributes: new Map([...span.attributes].map(([name, value]) => [name, hide(value)])),
  });
  const captures = env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT === "true";
  return { ...createTurnSpans({ add: (span) => queue.add(hidden(span)), captures }), close: queue.close };
}

type Env = Surroundings["env"];
type Scope = Parameters<typeof toOtlp>[2];
type Send = Parameters<typeof createSpanQueue>[0]["send"];

function isFileAlone(env: Env): boolean {
  const { COPILOT_OTEL_FILE_EXPORTER_PATH: file, COPILOT_OTEL_EXPORTER_TYPE: type } = env;
  return Boolean(file) && !type && !env.OTEL_EXPORTER_OTLP_ENDPOINT;
}

/** One line for each span. */
function toFile({ env, cwd }: Pick<Surroundings, "env" | "cwd">, scope: Scope): Send | string {
  const path = env.COPILOT_OTEL_FILE_EXPORTER_PATH;
  if (!path) return "the exporter is file, and no filePath is given";
  const file = resolve(cwd, path);
  return (batch) =>
    appendFile(file, batch.map((span) => `${JSON.stringify(toLine(span, scope))}\n`).join(""), { mode: 0o600 });
}

function toCollector(env: Env, scope: Scope, note: (text: string) => void): Send | string {
  const type = env.COPILOT_OTEL_EXPORTER_TYPE || "otlp-http";
  if (type !== "otlp-http")
    return `there is no exporter ${JSON.stringify(type.slice(0, 100))}, only otlp-http and file`;
  const settings = readTraceSettings(env, scope.version);
  if (settings === null) return "otlpEndpoint is no address of a collector that takes OTLP over HTTP";
  if (env.OTEL_EXPORTER_OTLP_PROTOCOL === "http/protobuf") note("telemetry is sent as http/json, not as http/protobuf");
  return (batch, timeout) => postSpans(settings, toOtlp(batch, settings.resource, scope), timeout);
}
