import type { Caller } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { type AuditBody, type AuditCall, type AuditRow, isCall } from "../audit/audit-row.ts";
import type { FoundBody } from "../audit/read-stored.ts";

/** Who made a call, as a configuration can find them again. */
export type PastCaller =
  | { readonly kind: "main" }
  | { readonly kind: "client"; readonly name: string }
  | { readonly kind: "person"; readonly caller: Caller };

/** A call of the log that can be judged again. */
export interface PastCall {
  readonly who: PastCaller;
  /** For people. */
  readonly shownAs: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The list that its tool was on; null where the row does not say. */
  readonly list: string | null;
  /** The policy that it was judged under; null where the row does not say. */
  readonly policy: string | null;
  /** Something in its arguments was hidden before it was written down. */
  readonly isRedacted: boolean;
  readonly row: { readonly run: string; readonly seq: number; readonly time: string };
}

/** Why a row cannot be judged, in words for a report. */
export const UNJUDGED = {
  gone: "what they were about was deleted",
  sealed: "what they were about is sealed with a key that is not here",
  changed: "what they were about is not what was written",
  unwritten: "their arguments were not written down (audit.bodies: none)",
  cut: "their arguments are too long for the log",
  masked: "filters masked or refused their arguments, so what they were is not known",
  "unknown-groups": "which people groups the person had is not written down",
  "unknown-tool": "their tool is on no list that was kept",
  "of-client": "a client ran them itself, and its hook was asked",
} as const;
export type Unjudged = keyof typeof UNJUDGED;

export type ReadCall =
  | { readonly kind: "call"; readonly call: PastCall }
  | { readonly kind: "unjudged"; readonly why: Unjudged };

/** Null for rows that are about no call, or about one that has another row. */
export function readPastCall(row: AuditRow, body: FoundBody | undefined): ReadCall | null {
  if (!isCall(row) || row.type === "call.running") return null;
  if (row.type === "call.judged") return unjudged("of-client");
  const given = row.body === undefined ? row : (body ?? "gone");
  if (typeof given === "string") return unjudged(given);
  if (row.filtered?.some(({ on, act }) => on === "arguments" && act === "block") === true) return unjudged("masked");
  const { arguments: args } = given;
  if (args === undefined) return unjudged("unwritten");
  if (!isRecord(args)) return unjudged("cut");
  const who = readCaller(row, row.body === undefined ? undefined : body);
  if (who === null) return unjudged("unknown-groups");
  const { run, seq, time, tool, principal, judged } = row;
  return {
    kind: "call",
    call: {
      ...{ who, shownAs: principal, tool, arguments: args },
      ...{ list: judged?.list ?? null, policy: judged?.policy ?? null },
      isRedacted: JSON.stringify(args).includes("[hidden]"),
      row: { run, seq, time },
    },
  };
}

function unjudged(why: Unjudged): ReadCall {
  return { kind: "unjudged", why };
}

/** What rules ask about a person stands in the body alone. */
function readCaller({ person, principal }: AuditCall, body: FoundBody | undefined): PastCaller | null {
  if (person === undefined) return principal === "main" ? { kind: "main" } : { kind: "client", name: principal };
  const { issuer, subject, client } = person;
  const known = isBody(body) ? body.caller : undefined;
  if (known === undefined) return null;
  return { kind: "person", caller: { issuer, subject, client, ...known, name: null, email: null } };
}

function isBody(body: FoundBody | undefined): body is AuditBody {
  return typeof body === "object";
}
