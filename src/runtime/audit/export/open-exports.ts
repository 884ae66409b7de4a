import type { ExportConfig } from "../../../config/shape/audit-shape.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { reportingResource } from "../../traces/trace-settings.ts";
import { type CarrierOptions, openCarrier, type RowCarrier, type RowSink } from "../carry-rows.ts";
import { type RowFormat, toolcribFormat } from "./exported-row.ts";
import { fileSink, stdoutSink, type WriteOut } from "./lines-sinks.ts";

export interface ExportsOptions extends Pick<CarrierOptions, "path" | "onError" | "onRecovered"> {
  readonly exports: readonly ExportConfig[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly write: WriteOut;
}

/** One carrier for each destination; what none of them needs is not loaded. */
export async function openExports({ exports, ...options }: ExportsOptions): Promise<readonly RowCarrier[]> {
  const sinks = await Promise.all(exports.map((one) => toSink(one, options)));
  const names = sinks.map(({ name }) => name);
  const twice = names.findIndex((name, at) => names.indexOf(name) !== at);
  const second = exports[twice];
  if (second !== undefined) throw invalid(second, `sends rows to ${names[twice]}, as an entry before it does`);
  return Promise.all(sinks.map((sink) => openCarrier({ ...options, sink })));
}

async function toSink(one: ExportConfig, { env, version, write }: Omit<ExportsOptions, "exports">): Promise<RowSink> {
  if (one.isUnset) throw invalid(one, "names a variable that is not set");
  const format: RowFormat = one.format === "ocsf" ? (await import("./ocsf.ts")).ocsfFormat(version) : toolcribFormat;
  const { url, path, headers, ca, cert, key } = one;
  switch (one.to) {
    case "file":
      return fileSink(path ?? "", format);
    case "stdout":
      return stdoutSink(write, format);
    case "syslog":
      return (await import("./syslog-sink.ts")).syslogSink({ url: checked(one, url), ca, cert, key }, format);
    case "https":
      return (await import("./http-sinks.ts")).httpsSink({ url: checked(one, url), headers }, format);
    case "otlp": {
      const resource = reportingResource(env, version);
      const scope = { name: "toolcrib", version };
      const { otlpSink } = await import("./http-sinks.ts");
      return otlpSink({ url: checked(one, url), headers }, format, { resource, scope });
    }
  }
}

/** With its variables, an address may be none after all. */
function checked(one: ExportConfig, url: string | null): string {
  const protocols = one.to === "syslog" ? ["tls:"] : ["https:", "http:"];
  if (url !== null && URL.canParse(url) && protocols.includes(new URL(url).protocol)) return url;
  throw invalid(one, `has no address that begins with ${protocols[0]}//`);
}

function invalid(one: ExportConfig, what: string): ToolcribError {
  const text = `${formatOrigin(one.origin)}: an entry of audit.export ${what}`;
  return new ToolcribError("config.invalid", text, { origin: one.origin });
}
