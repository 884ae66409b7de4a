import { formatOrigin } from "../../core/codes/origin.ts";
import { reportSources, type SourceReport } from "../../runtime/report/source-report.ts";
import type { OpenSession } from "../../runtime/session/session.ts";

/** The reports of a session that ends with the command: it waits as long as it was told, and tries nothing again. */
export function reportOnce(session: OpenSession): readonly SourceReport[] {
  return reportSources(session).map((report) => {
    if (report.state === "starting") return { ...report, next: report.next ?? "To wait longer: --timeout SECONDS." };
    const isRetried = report.state === "failed" || report.state === "stale";
    return isRetried && report.next?.includes("by itself") ? { ...report, next: toNext(report) } : report;
  });
}

function toNext({ name, transport, reason, stderr, origin }: SourceReport): string {
  const place = formatOrigin(origin);
  const last = lastLine(stderr);
  if (last !== null) return `It said last: ${JSON.stringify(last)}. For more: toolcrib servers logs ${name}`;
  if (reason?.startsWith("did not start within"))
    return `Correct its command, or give it more time with startTimeout, in milliseconds (${place}), then: toolcrib servers restart ${name}`;
  if (transport === "openapi")
    return `Correct its entry (${place}) or its document, then: toolcrib servers restart ${name}`;
  const isMissing = reason?.includes("There is no program") === true;
  return transport === "stdio"
    ? `${isMissing ? "Install it, or correct" : "Correct"} its command (${place}), then: toolcrib servers restart ${name}`
    : `See that it runs and that its url is right (${place}), then: toolcrib servers restart ${name}`;
}

/** What a server said last says more than any reason of ours. */
function lastLine(stderr: string | null): string | null {
  const last = (stderr ?? "").trimEnd().split("\n").at(-1)?.trim() ?? "";
  if (last === "") return null;
  return last.length > MOST ? `${last.slice(0, MOST)}…` : last;
}

const MOST = 200;
