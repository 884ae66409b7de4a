import { formatOrigin } from "../../core/codes/origin.ts";
import { reportSources, type SourceReport } from "../../runtime/report/source-report.ts";
import type { OpenSession } from "../../runtime/session/session.ts";
import { tellingLine } from "../../system/text/telling-line.ts";

/** The reports of a session that ends with the command: it waits as long as its options say, and tries nothing again. */
export function reportOnce(session: OpenSession): readonly SourceReport[] {
  return reportSources(session).map((report) => {
    if (report.state === "starting") return { ...report, next: report.next ?? "To wait longer: --timeout SECONDS." };
    const isRetried = report.state === "failed" || report.state === "stale";
    return isRetried && report.next?.includes("by itself") ? { ...report, next: toNext(report) } : report;
  });
}

function toNext({ name, transport, reason, stderr, origin }: SourceReport): string {
  const place = formatOrigin(origin);
  const last = tellingLine(stderr);
  if (last !== null) return `It said last: ${JSON.stringify(last)}. For more: toolcrib servers logs ${name}`;
  if (reason?.startsWith("did not start within"))
    return `Correct its command, or give it more time with startTimeout, in milliseconds (${place}), then: toolcrib servers restart ${name}`;
  if (transport === "openapi")
    return `Correct its entry (${place}) or its document, then: toolcrib servers restart ${name}`;
  const isMissing = reason?.includes("There is no program") === true;
  return transport === "stdio"
    ? `${isMissing ? "Install it, or correct" : "Correct"} its command (${place}), then: toolcrib servers restart ${name}`
    : `Check that it runs and that its url is right (${place}), then: toolcrib servers restart ${name}`;
}
