import { tellingLine } from "../../system/text/telling-line.ts";
import type { SourceStatus } from "../source.ts";

/** What a source itself said that explains why it does not work, as a sentence without its period; null if nothing. */
export function lastWords({ fault, stderr }: Pick<SourceStatus, "fault" | "stderr">): string | null {
  if (fault?.kind === "chatter")
    return `Its standard output is for messages of the protocol alone, and it wrote: ${JSON.stringify(fault.line)}`;
  const last = tellingLine(stderr);
  return last === null ? null : `It said last: ${JSON.stringify(last)}`;
}
