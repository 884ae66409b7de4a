import {
  describeLine,
  describeTool,
  type PermissionAnswer,
  type PermissionRequest,
} from "../../../runtime/permissions/permission-request.ts";
import { toChangedLines, withoutChange } from "../../../runtime/report/file-change.ts";
import { escapeText } from "../../../system/text/escape-text.ts";

/** How long an answer can hold beyond the call, and the letter that says so. */
const LONGER = [
  { scope: "session", letter: "s", offer: "this [s]ession" },
  { scope: "project", letter: "p", offer: "this [p]roject" },
  { scope: "user", letter: "m", offer: "always for [m]e" },
] as const;

export type LongerScope = (typeof LONGER)[number]["scope"];

/** What can be offered where no session goes on after the call. */
export const BEYOND_SESSION: readonly LongerScope[] = ["project", "user"];
const ALL: readonly LongerScope[] = LONGER.map(({ scope }) => scope);

/** Everything a person needs to decide: what, which parts, why, and what would be kept. */
export function describeRequest(request: PermissionRequest, scopes = ALL): string {
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
  const offers = ["[y]es once", ...offered(request, scopes).map(({ offer }) => offer), "[N]o "];
  return `${lines.map(escapeText).join("\n")}\nAllow it? ${offers.join(", ")}`;
}

/** What was not offered is no yes. */
export function readTypedAnswer(text: string, request: PermissionRequest, scopes = ALL): PermissionAnswer {
  const answer = text.trim().toLowerCase();
  if (answer === "y" || answer === "yes") return { decision: "allow", scope: "once" };
  const longer = offered(request, scopes).find(({ letter }) => letter === answer);
  if (longer !== undefined) return { decision: "allow", scope: longer.scope };
  return { decision: "deny", reason: "the user did not allow it" };
}

function offered({ suggestions }: PermissionRequest, scopes: readonly LongerScope[]) {
  return suggestions.length === 0 ? [] : LONGER.filter(({ scope }) => scopes.includes(scope));
}
