import { formatOrigin } from "../../core/codes/origin.ts";
import { nextStep, type SourceReport } from "./source-report.ts";

/** One source of `servers --json`. */
export function toReportRow(report: SourceReport) {
  const { kind, name, state, reason, stderr, tools, heldBack, transport, era, origin } = report;
  const next = nextStep(report);
  return { name, kind, state, reason, next, tools, transport, era, origin: formatOrigin(origin), stderr, heldBack };
}
