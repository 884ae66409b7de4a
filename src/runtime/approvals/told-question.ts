import { describePerson } from "../../core/people/person.ts";
import { revealText } from "../../system/text/reveal-text.ts";
import type { Redactor } from "../audit/redact-value.ts";
import type { AskedCaller, PendingApproval } from "../crib/crib.ts";
import { describeLine, describeTool, serverOfRequest } from "../permissions/permission-request.ts";

/** The page on which approvers answer. */
export const APPROVALS_PATH = "/approvals";

/** A call that waits, as people outside of this process see it: without secrets, and nothing in it is invisible. */
export interface ToldQuestion {
  /** The same for as long as it waits, on whichever machine. */
  readonly id: string;
  readonly tool: string;
  readonly server: string | null;
  readonly client: string;
  readonly caller: AskedCaller | null;
  /** The caller in words; null where none is known. */
  readonly callerName: string | null;
  readonly reason: string;
  readonly arguments: unknown;
  /** The same as text. */
  readonly argumentsText: string;
  /** What it would do part by part, and the line of code that makes the call. */
  readonly parts: readonly string[];
  readonly fourEyes: boolean;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly until: number | null;
  /** Where approvers answer. */
  readonly link: string;
}

/** What is said of a call, in one line. */
export function describeToldQuestion({ tool, client, callerName }: ToldQuestion): string {
  return `${tool} for ${callerName === null ? client : `${callerName} with ${client}`}`;
}

export function toToldQuestion(pending: PendingApproval, publicUrl: string, redactor: Redactor): ToldQuestion {
  const { root, request, client, caller, fourEyes, since, until } = pending;
  const clean = (text: string): string => revealText(redactor.text(text));
  const given = redactor.value(request.toolArgs);
  const line = describeLine(request);
  const server = serverOfRequest(request);
  return {
    id: root,
    tool: clean(describeTool(request)),
    server: server === null ? null : revealText(server),
    client: clean(client),
    caller,
    callerName: caller && revealText(caller.name ?? describePerson(caller)),
    reason: clean(request.reason),
    arguments: given,
    argumentsText: revealText(JSON.stringify(given, null, 2)),
    parts: [
      // A part that is only the tool itself adds nothing to its name.
      ...request.parts.flatMap(({ part }) => (part === request.toolName ? [] : [clean(part)])),
      ...(line === null ? [] : [clean(line)]),
    ],
    ...{ fourEyes, since, until, link: `${publicUrl}${APPROVALS_PATH}?${new URLSearchParams({ id: root })}` },
  };
}

/** How a question ended. */
export interface ToldOutcome {
  readonly outcome: "allowed" | "denied" | "withdrawn";
  readonly by: string | null;
  readonly reason: string | null;
}

export function describeOutcome({ outcome, by, reason }: ToldOutcome): string {
  if (outcome === "withdrawn") return "nobody waits for an answer any longer";
  return `${outcome}${by === null ? "" : ` by ${by}`}${reason === null ? "" : `: ${reason}`}`;
}
