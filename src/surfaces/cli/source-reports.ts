import { formatOrigin } from "../../core/codes/origin.ts";
import { reportSources, type SourceReport } from "../../runtime/report/source-report.ts";
import type { OpenSession } from "../../runtime/session/session.ts";

/** The reports of a session that ends with the command: nothing in it is tried again by itself. */
export function reportOnce(session: OpenSession): readonly SourceReport[] {
  return reportSources(session).map((report) => {
    const isRetried = report.state === "failed" || report.state === "stale";
    return isRetried && report.next?.includes("by itself") ? { ...report, next: toNext(report) } : report;
  });
}

function toNext({ name, transport, stderr, origin }: SourceReport): string {
  if (stderr !== null) return `See what it said last: toolcrib servers logs ${name}`;
  const place = formatOrigin(origin);
  if (transport === "openapi")
    return `Correct its entry (${place}) or its document, then: toolcrib servers restart ${name}`;
  return transport === "stdio"
    ? `Correct its command (${place}), then: toolcrib servers restart ${name}`
    : `See that it runs and that its url is right (${place}), then: toolcrib servers restart ${name}`;
}
