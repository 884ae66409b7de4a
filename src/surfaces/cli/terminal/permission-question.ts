import {
  describeLine,
  describeTool,
  type PermissionAnswer,
  type PermissionRequest,
} from "../../../runtime/permissions/permission-request.ts";
import { toChangedLines, withoutChange } from "../../../runtime/report/file-change.ts";
import { escapeText } from "../../../system/text/escape-text.ts";

/** Everything a person needs to decide: what, which parts, why, and what would be kept. */
export function describeRequest(request: PermissionRequest): string {
  const { toolArgs, kind, parts, reason, origin, source, suggestions } = request;
  const line = describeLine(request);
  const changed = kind === "write" ? toChangedLines(toolArgs) : [];
  const given = changed.length === 0 ? toolArgs : withoutChange(toolArgs);
  const lines = [
    `${describeTool(request)} (${source}) wants to run with ${JSON.stringify(given)}`,
    ...changed.map(({ mark, text }) => `  ${mark} ${text}`),
    `  ${reason}${origin === "default" ? "" : ` (${origin})`}`,
    ...(line === null ? [] : [`  called in ${line}`]),
    ...parts.filter(({ text }) => text !== reason).map(({ decision, text }) => `  ${decision.padEnd(5)}  ${text}`),
  ];
  const [kept] = suggestions;
  if (kept !== undefined) lines.push(`  for longer than once: ${kept.text}`);
  const longer = kept === undefined ? "" : ", this [s]ession, this [p]roject, always for [m]e";
  return `${lines.map(escapeText).join("\n")}\nAllow it? [y]es once${longer}, [N]o `;
}

/** What was not offered is no yes. */
export function readTypedAnswer(text: string, { suggestions }: PermissionRequest): PermissionAnswer {
  const answer = text.trim().toLowerCase();
  if (answer === "y" || answer === "yes") return { decision: "allow", scope: "once" };
  if (answer === "s" && suggestions.length > 0) return { decision: "allow", scope: "session" };
  if (answer === "p" && suggestions.length > 0) return { decision: "allow", scope: "project" };
  if (answer === "m" && suggestions.length > 0) return { decision: "allow", scope: "user" };
  return { decision: "deny", reason: "the user did not allow it" };
}
