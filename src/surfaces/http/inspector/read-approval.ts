import { HttpRefusal } from "../api/answers.ts";
import type { ApprovalAnswer } from "../api/api.ts";

const SCOPES = ["once", "session", "project", "user"] as const;
const KEYS: ReadonlySet<string> = new Set(["decision", "scope", "reason"]);
const MAX_REASON = 2_000;

/** An answer to an approval. Anything unclear is refused, and the call keeps waiting. */
export function readApprovalAnswer(body: unknown): ApprovalAnswer {
  if (typeof body !== "object" || body === null) throw unreadable();
  const fields = new Map<string, unknown>(Object.entries(body));
  const decision = fields.get("decision");
  const given = fields.get("scope");
  const reason = fields.get("reason");
  const scope = SCOPES.find((known) => known === given);
  if (decision !== "allow" && decision !== "deny") throw unreadable();
  if (given !== undefined && scope === undefined) throw unreadable();
  if (reason !== undefined && (typeof reason !== "string" || reason.length > MAX_REASON)) throw unreadable();
  if ([...fields.keys()].some((key) => !KEYS.has(key))) throw unreadable();
  return { decision, ...(scope === undefined ? {} : { scope }), ...(reason === undefined ? {} : { reason }) };
}

function unreadable(): HttpRefusal {
  const text =
    'send {"decision": "allow" or "deny", "scope"?: "once", "session", "project" or "user", "reason"?: text}';
  return new HttpRefusal(400, "http.invalid-request", text);
}
