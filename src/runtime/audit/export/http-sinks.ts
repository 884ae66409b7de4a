import { isRecord } from "../../../core/shape/is-record.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { type LogRecord, type Scope, toOtlpLogs } from "../../traces/otlp.ts";
import { type PostPlace, PostRefused, postTo } from "../../traces/post-to.ts";
import { RefusedRows, type RowSink } from "../carry-rows.ts";
import { type ExportedRow, type RowFormat, toExported } from "./exported-row.ts";

const MOST_BYTES = 1024 * 1024;
const TIMEOUT = 10_000;
/** What is wrong is in the rows, so that the same would be answered next time. */
const REFUSALS: ReadonlySet<number> = new Set([400, 413, 422]);

/** JSON lines in the body of a POST. */
export function httpsSink(place: PostPlace, format: RowFormat): RowSink {
  return {
    ...{ name: `https ${nameOf(place.url)}`, mostBytes: MOST_BYTES, close: async () => {} },
    async send(rows, signal) {
      const body = rows.map((row) => `${toExported(row, format).text}\n`).join("");
      await post(place, body, { type: "application/x-ndjson", signal });
    },
  };
}

/** Records of an OpenTelemetry collector, over HTTP in JSON. */
export function otlpSink(
  place: PostPlace,
  format: RowFormat,
  { resource, scope }: { readonly resource: ReadonlyMap<string, string>; readonly scope: Scope },
): RowSink {
  return {
    ...{ name: `otlp ${nameOf(place.url)}`, mostBytes: MOST_BYTES, close: async () => {} },
    async send(rows, signal) {
      const records = rows.map((row) => toRecord(toExported(row, format)));
      const answer = parseJson(await post(place, JSON.stringify(toOtlpLogs(records, resource, scope)), { signal }));
      const partial = isRecord(answer) && isRecord(answer.partialSuccess) ? answer.partialSuccess : {};
      if (Number(partial.rejectedLogRecords ?? 0) > 0) throw new RefusedRows(String(partial.errorMessage ?? ""));
    },
  };
}

async function post(
  place: PostPlace,
  body: string,
  { type, signal }: { readonly type?: string; readonly signal: AbortSignal },
): Promise<string> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]);
  return postTo(place, body, { ...(type === undefined ? {} : { type }), signal: within }).catch((error: unknown) => {
    if (error instanceof PostRefused && REFUSALS.has(error.status)) throw new RefusedRows(error.message);
    throw error;
  });
}

function toRecord({ id, time, type, isWarning, text, row }: ExportedRow): LogRecord {
  const of = (key: string, value: string | undefined): readonly [string, string][] =>
    value === undefined || value === "" ? [] : [[key, value]];
  const call = row !== null && "tool" in row ? row : null;
  const attributes = new Map([
    ...of("log.record.uid", id),
    ...of("mcp.method.name", call === null ? undefined : "tools/call"),
    ...of("gen_ai.operation.name", call === null ? undefined : "execute_tool"),
    ...of("gen_ai.tool.name", call?.tool),
    ...of("gen_ai.tool.call.id", call?.call),
    ...of("session.id", row?.session),
    ...of("user.id", row?.person?.subject ?? row?.principal),
    ...of("toolcrib.user.issuer", row?.person?.issuer),
    ...of("toolcrib.client", row?.client),
    ...of("toolcrib.result", call?.result ?? undefined),
    ...of("toolcrib.decision", call?.decision?.decision),
    ...of("toolcrib.decision.code", call?.decision?.code),
  ]);
  return { time, name: `toolcrib.${type}`, severity: isWarning ? "WARN" : "INFO", text, attributes };
}

/** An address may hold a key in its query. */
function nameOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
