import { hash } from "node:crypto";
import type { Filtered } from "../../core/events/event-types.ts";
import type { FilterSide } from "../../core/filters/filter.ts";
import type { Caller, Person } from "../../core/people/person.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import type { PeopleNote } from "../people/contract.ts";

/** The decision about a call, and who made it. */
export interface AuditDecision {
  readonly decision: string;
  readonly code: string;
  readonly text: string;
  readonly origin: string;
  /** Who was asked and answered; null if nobody was. */
  readonly by: string | null;
}

/** The person behind a call, and what gave them what they have (O15). Never a name or an address for mail. */
export interface AuditPerson extends Person {
  /** The id of the client that they use. */
  readonly client: string | null;
  /** The entries of `gateway.profiles` that counted, each with what of the person the rule found. */
  readonly profiles: readonly { readonly name: string; readonly found: string }[];
}

/** Who caused the event of a row. */
interface AuditSubject {
  readonly session: string;
  /** As the client names itself. */
  readonly client: string;
  readonly principal: string;
  /** Absent where a token of the configuration is all that is known. */
  readonly person?: AuditPerson | undefined;
}

/** What a call was judged under: both can be found again by these hashes. */
export interface JudgedUnder {
  /** Of all settings that decide about calls. */
  readonly policy: string;
  /** Of the list of tools. */
  readonly list: string;
}

/** What a filter found, by its kind: the log never says what it was. */
export interface AuditFiltered extends Filtered {
  readonly on: FilterSide;
}

/** What of a call can be read by auditors alone, and goes when it must: apart from its row, which has its hash. */
export interface AuditBody {
  /** With secrets removed, up to 64 KiB; longer ones as the beginning of their text. */
  readonly arguments: unknown;
  readonly isCut?: true;
  readonly error: string | null;
  /** The sentence of the decision, which may repeat arguments. */
  readonly reason: string | null;
  /** What rules ask about a person; absent where there is none. */
  readonly caller?: Pick<Caller, "groups" | "claims">;
  /** What its session was narrowed to or works as. */
  readonly agent?: string;
}

export interface AuditCall extends AuditSubject {
  /**
   * `call.running` is written for calls that take long, so that none of them is missing after a crash; `call.judged` for
   * those that a client runs itself, of which only the decision is known here.
   */
  readonly type: "call" | "call.running" | "call.judged";
  readonly call: string;
  /** The call inside which it was made, such as one of `run_code`. */
  readonly parent?: string | undefined;
  /** The id of the subagent that made it. */
  readonly agent?: string | undefined;
  readonly tool: string;
  /** With secrets removed and cut to a size; the digest is of the whole. Both are absent where the body is apart. */
  readonly arguments?: unknown;
  readonly argumentsDigest?: string | undefined;
  /** The hash of its body with its salt, where that is apart. */
  readonly body?: string;
  /** Which login at the source it was made with; absent for what everybody shares. */
  readonly login?: string | undefined;
  readonly judged?: JudgedUnder | undefined;
  /** What filters found in its arguments and its result; absent if nothing. */
  readonly filtered?: readonly AuditFiltered[] | undefined;
  readonly decision: AuditDecision | null;
  /** Null while it runs. */
  readonly result: string | null;
  /** Why Toolcrib itself refused it, such as `limit.reached`; absent for what its tool came to. */
  readonly code?: string | undefined;
  readonly error: string | null;
  /** Milliseconds. */
  readonly duration: number | null;
  readonly cancelledBy: string | null;
}

/** Anything else worth recording: reloads, quarantined tools, attempts to use somebody else's session. */
export interface AuditNote extends Partial<AuditSubject> {
  readonly type:
    | "log.opened"
    | "log.continued"
    | "log.moved"
    | "log.closed"
    | "log.torn"
    | "log.expired"
    | "log.forgotten"
    | "log.read"
    | "config.reloaded"
    | "config.refused"
    | "tool.quarantined"
    | "inspector.acted"
    | "inspector.refused"
    | "approval.told"
    | "person.slack"
    | "approval.refused"
    | "session.opened"
    | "session.principal_mismatch"
    | PeopleNote["type"]
    | "limit.passed"
    | "token.main"
    | "token.refused";
  readonly text: string;
  readonly names?: readonly string[];
  /** What was deleted: bodies or rows of a kind from before then, of everybody or of one person. */
  readonly gone?: { readonly what: string; readonly until: string; readonly person?: string };
}

export type AuditEntry = AuditCall | AuditNote;

/** A row to write, and what of it may be kept apart. */
export type AuditDraft =
  | { readonly entry: AuditEntry; readonly body?: undefined }
  | { readonly entry: AuditCall; readonly body: AuditBody };

interface Place {
  /** Counts within one run of the program. */
  readonly seq: number;
  readonly run: string;
  /** ISO 8601, in UTC. */
  readonly time: string;
  /** The hash of the previous row in its run, or of the last row of the file when its run began. */
  readonly prev: string;
  readonly hash: string;
}

/** One line of the log. */
export type AuditRow = Place & AuditEntry;

export function isCall(row: AuditRow): row is Place & AuditCall {
  return row.type === "call" || row.type === "call.running" || row.type === "call.judged";
}

export const GENESIS = "0".repeat(64);

const HASH_LENGTH = ',"hash":""}'.length + 64;

/** Characters that JSON leaves as they are, but that a terminal would interpret or hide. */
const UNSAFE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Most rows have none, which is cheaper to test than to replace nothing. */
const PLAIN = /^[ -~]*$/;

/** The line of a row without its end, and its hash: SHA-256 of the line up to the hash, including the previous hash. */
export function sealRow(
  { seq, run, time, prev }: Omit<Place, "hash">,
  entry: AuditEntry,
): { readonly line: string; readonly hash: string } {
  const json = JSON.stringify(entry);
  const safe = PLAIN.test(json) ? json : json.replace(UNSAFE, toEscape);
  const body = `{"seq":${seq},"run":"${run}","time":"${time}",${safe.slice(1, -1)},"prev":"${prev}"`;
  const digest = hash("sha256", `${body}}`, "hex");
  return { line: `${body},"hash":"${digest}"}`, hash: digest };
}

/** Whether a line is unchanged. */
export function isSealed(line: string): boolean {
  const body = `${line.slice(0, -HASH_LENGTH)}}`;
  return line.slice(-HASH_LENGTH) === `,"hash":"${hash("sha256", body, "hex")}"}`;
}

/** Null for anything that is not a row. */
export function readRow(line: string): AuditRow | null {
  const value = parseJson(line);
  return isRow(value) ? value : null;
}

function isRow(value: unknown): value is AuditRow {
  if (typeof value !== "object" || value === null) return false;
  const text = (key: string): boolean => typeof Reflect.get(value, key) === "string";
  return ["run", "time", "type", "prev", "hash"].every(text) && Number.isSafeInteger(Reflect.get(value, "seq"));
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
