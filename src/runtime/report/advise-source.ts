import { formatOrigin } from "../../core/codes/origin.ts";
import { lastWords } from "../../sources/parts/last-words.ts";
import type { SourceFault } from "../../sources/source.ts";
import type { SourceReport } from "./source-report.ts";

/** What is known about how to fix a source that failed. */
interface Advice {
  /** One clause, in the imperative, perhaps behind what the source wrote; or the source's own last line. */
  readonly text: string;
  /** It is the source's own last line; its log has more. */
  readonly isQuote: boolean;
}

/** What to do about a source that failed and is retried, or starts and looks bad; null if its report says everything. */
export function adviseSource(report: SourceReport): Advice | null {
  if (report.fault === undefined) return null;
  const said = lastWords(report);
  if (report.fault.kind === "chatter") return { text: `${said}. ${toFix(report, report.fault)}`, isQuote: false };
  return said === null ? { text: toFix(report, report.fault), isQuote: false } : { text: said, isQuote: true };
}

function toFix({ transport, origin }: SourceReport, fault: SourceFault): string {
  const place = formatOrigin(origin);
  switch (fault.kind) {
    case "start-timeout":
      return `Correct its command, or give it more time with startTimeout, in milliseconds (${place})`;
    case "no-program":
      return `Install it, or correct its command (${place})`;
    case "chatter":
      return `Correct its command (${place}), or have it write that to its error stream`;
    case "web-page":
      return `Correct its url (${place}): many servers are under /mcp, and older ones, with type: sse, under /sse`;
    case "other":
      if (transport === "openapi") return `Correct its entry (${place}) or its document`;
      if (transport !== "stdio") return `Check that it runs and that its url is right (${place})`;
      return `Correct its command (${place})`;
  }
}
