import { formatOrigin } from "../../core/codes/origin.ts";
import { tellingLine } from "../../system/text/telling-line.ts";
import type { SourceReport } from "./source-report.ts";

/** What is known about how to fix a source that failed. */
interface Advice {
  /** One clause, in the imperative, or the source's own last line. */
  readonly text: string;
  /** It is the source's own last line; its log has more. */
  readonly isQuote: boolean;
}

/** What to do about a source that failed and is retried; null if its report says everything. */
export function adviseSource(report: SourceReport): Advice | null {
  if (report.fault === undefined) return null;
  const last = tellingLine(report.stderr);
  if (last !== null) return { text: `It said last: ${JSON.stringify(last)}`, isQuote: true };
  return { text: toFix(report), isQuote: false };
}

function toFix({ transport, fault, origin }: SourceReport): string {
  const place = formatOrigin(origin);
  if (fault === "start-timeout")
    return `Correct its command, or give it more time with startTimeout, in milliseconds (${place})`;
  if (transport === "openapi") return `Correct its entry (${place}) or its document`;
  if (transport !== "stdio") return `Check that it runs and that its url is right (${place})`;
  return `${fault === "no-program" ? "Install it, or correct" : "Correct"} its command (${place})`;
}
