import { guessShownName } from "../../../core/catalog/shown-name.ts";
import { type AuditCall, type AuditRow, isCall } from "../audit-row.ts";
import type { RowGap } from "../carry-rows.ts";
import type { RowFormat } from "./exported-row.ts";

/** The version of the schema that these events follow. */
const SCHEMA = "1.3.0";

const CLASSES = {
  api: { class_uid: 6003, class_name: "API Activity", category_uid: 6, category_name: "Application Activity" },
  login: {
    ...{ class_uid: 3002, class_name: "Authentication" },
    ...{ category_uid: 3, category_name: "Identity & Access Management" },
  },
  account: {
    ...{ class_uid: 3001, class_name: "Account Change" },
    ...{ category_uid: 3, category_name: "Identity & Access Management" },
  },
  base: { class_uid: 0, class_name: "Base Event", category_uid: 0, category_name: "Uncategorized" },
} as const;

const OTHER = 99;

interface Meaning {
  readonly class: keyof typeof CLASSES;
  readonly activity: number;
  readonly name: string;
  readonly failed?: true;
}

/** What rows about people are in the schema's words; everything else that is no call is an event without a class. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ["person.in", { class: "login", activity: 1, name: "Logon" }],
  ["person.out", { class: "login", activity: 2, name: "Logoff" }],
  ["person.refused", { class: "login", activity: 1, name: "Logon", failed: true }],
  ["token.refused", { class: "login", activity: 1, name: "Logon", failed: true }],
  ["token.main", { class: "login", activity: 1, name: "Logon" }],
  ["session.opened", { class: "login", activity: OTHER, name: "Session opened" }],
  ["session.principal_mismatch", { class: "login", activity: OTHER, name: "Session of another", failed: true }],
  ["authorization.replayed", { class: "login", activity: OTHER, name: "Token replayed", failed: true }],
  ["person.invited", { class: "account", activity: 1, name: "Create" }],
  ["person.admitted", { class: "account", activity: 2, name: "Enable" }],
  ["person.ended", { class: "account", activity: 5, name: "Disable" }],
  ["authorization.given", { class: "account", activity: 7, name: "Attach Policy" }],
  ["authorization.ended", { class: "account", activity: 8, name: "Detach Policy" }],
  ["person.changed", { class: "account", activity: OTHER, name: "Other" }],
  ["client.registered", { class: "account", activity: OTHER, name: "Client registered" }],
]);

/** Rows as events of the Open Cybersecurity Schema Framework. */
export function ocsfFormat(version: string): RowFormat {
  return (row) => JSON.stringify("hash" in row ? toEvent(row, version) : toGapEvent(row, version));
}

function toEvent(row: AuditRow, version: string): object {
  const isOfCall = isCall(row);
  const meaning: Meaning = isOfCall
    ? { class: "api", activity: OTHER, name: row.type === "call.judged" ? "Judged" : "Call" }
    : (MEANINGS.get(row.type) ?? { class: "base", activity: OTHER, name: row.type });
  const isFailed = isOfCall ? isFailure(row) : meaning.failed === true;
  return {
    ...frame(meaning, { id: row.hash, time: row.time, isFailed, version }),
    actor: toActor(row),
    ...(isOfCall ? toApi(row) : { message: row.text }),
    ...(meaning.class === "login" || meaning.class === "account" ? { user: toUser(row) } : {}),
    unmapped: toUnmapped(row),
  };
}

function toGapEvent({ id, time, text, missing }: RowGap, version: string): object {
  const meaning: Meaning = { class: "base", activity: OTHER, name: "export.gap" };
  return { ...frame(meaning, { id, time, isFailed: true, version }), message: text, unmapped: { missing } };
}

interface Frame {
  readonly id: string;
  readonly time: string;
  readonly isFailed: boolean;
  readonly version: string;
}

function frame({ class: name, activity, name: activityName }: Meaning, { id, time, isFailed, version }: Frame) {
  const known = CLASSES[name];
  return {
    ...known,
    activity_id: activity,
    activity_name: activityName,
    type_uid: known.class_uid * 100 + activity,
    type_name: `${known.class_name}: ${activityName}`,
    time: Date.parse(time),
    ...(isFailed ? { severity_id: 3, severity: "Medium" } : { severity_id: 1, severity: "Informational" }),
    ...(isFailed ? { status_id: 2, status: "Failure" } : { status_id: 1, status: "Success" }),
    metadata: {
      ...{ version: SCHEMA, uid: id, original_time: time },
      product: { name: "Toolcrib", vendor_name: "Toolcrib", version },
    },
  };
}

/** A call that still runs has failed at nothing. */
function isFailure({ result, decision }: AuditCall): boolean {
  return decision?.decision === "deny" || (result !== null && result !== "success");
}

function toUser({ person, principal = "main" }: AuditRow): object {
  if (person === undefined) return { uid: principal, name: principal };
  return { uid: person.subject, name: principal, domain: person.issuer };
}

function toActor(row: AuditRow): object {
  const { session, client, person } = row;
  return {
    user: toUser(row),
    ...(session === undefined ? {} : { session: { uid: session } }),
    ...(client === undefined ? {} : { app_name: client }),
    ...(typeof person?.client === "string" ? { app_uid: person.client } : {}),
  };
}

function toApi({ tool, call, client, result, error, decision }: AuditCall): object {
  const shown = guessShownName(tool);
  const [server = shown] = shown.split("/");
  return {
    api: {
      operation: shown,
      service: { name: server },
      request: { uid: call },
      response: { message: result ?? "running", ...(error === null ? {} : { error_message: error }) },
    },
    src_endpoint: { name: client },
    ...(decision === null ? {} : { status_detail: `${decision.decision}: ${decision.code}` }),
  };
}

/** What the schema has no place for: the place in the chain, and by what something was decided. */
function toUnmapped(row: AuditRow): object {
  const { run, seq, prev, hash, type, person } = row;
  const chain = { run, seq, prev, hash, type };
  const profiles = person === undefined ? {} : { profiles: person.profiles };
  if (!isCall(row)) return { ...chain, ...profiles, ...(row.gone === undefined ? {} : { gone: row.gone }) };
  const { decision, duration, body, login, judged, agent } = row;
  return { ...chain, ...profiles, decision, duration, body, login, judged, agent };
}
