import { replacedServers } from "../../config/servers-of.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { lastWords } from "../../sources/parts/last-words.ts";
import { describeReport, type ReportedSources, reportOdd, type SourceReport } from "./source-report.ts";

/**
 * The servers of a session whose tools are missing or old, each with the reason. One that still starts is no trouble yet. A
 * subagent has those of its own: the others are its parent's to tell.
 */
export function noticeTroubles(session: ReportedSources): readonly Notice[] {
  const { isSubagent, agent, agents } = session.config;
  const own = isSubagent ? agents.get(agent?.value ?? "")?.servers : undefined;
  const odd = reportOdd(session).filter(({ name }) => !isSubagent || own?.has(name) === true);
  return [
    ...odd.map((report): Notice => {
      const { name, origin } = report;
      return { level: "warning", code: toCode(report), text: explainTrouble(report), names: [name], origin };
    }),
    ...replacedServers(session.config).map(({ name, origin }): Notice => {
      const text = `server "${name}" of the agent "${agent?.value}" is left out: another server has this name; rename one of the two`;
      return { level: "warning", code: "server.name-taken", text, names: [name], origin };
    }),
  ];
}

function toCode({ state, forbiddenBy }: SourceReport): Notice["code"] {
  if (forbiddenBy !== undefined) return "server.denied";
  if (state === "needs-auth") return "server.needs-auth";
  return state === "stale" ? "server.stale" : "server.failed";
}

/** For programs, whose servers are in no file: in place of the command that shows more, what the server itself said last. */
export function explainTrouble(report: SourceReport): string {
  if (report.fault === undefined) return describeReport(report);
  return describeReport({ ...report, next: lastWords(report) });
}
