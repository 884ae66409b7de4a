import { adviseSource } from "../../../runtime/report/advise-source.ts";
import { reportSources, type SourceReport } from "../../../runtime/report/source-report.ts";
import type { OpenSession } from "../../../runtime/session/tools/session.ts";

/** The reports of a session that ends with the command: it waits as long as its options say, and tries nothing again. */
export function reportOnce(session: OpenSession): readonly SourceReport[] {
  return reportSources(session).map((report) => {
    const advice = adviseSource(report);
    if (report.state === "starting" && advice === null)
      return { ...report, next: report.next ?? "To wait longer: --timeout SECONDS." };
    if (advice === null) return report;
    const { text, isQuote } = advice;
    const next = isQuote
      ? `${text}. For more: toolcrib servers logs ${report.name}`
      : `${text}, then: toolcrib servers restart ${report.name}`;
    return { ...report, next };
  });
}
