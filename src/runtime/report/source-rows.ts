import { formatOrigin } from "../../core/codes/origin.ts";
import type { SourceReport } from "../session/source-report.ts";

/** One source of `servers --json`. */
export function toReportRow(report: SourceReport) {
  const { kind, name, state, reason, next, stderr, tools, transport, era, origin } = report;
  return { name, kind, state, reason, next, tools, transport, era, origin: formatOrigin(origin), stderr };
}
