import { hash } from "node:crypto";
import { CODES } from "../../core/codes/codes.ts";
import type { SessionEvent } from "../../core/events/envelope.ts";
import type { Because } from "../../core/people/map-person.ts";
import type { Caller } from "../../core/people/person.ts";
import { createPassingMap, createPassingSet } from "../../system/passing.ts";
import type { Emitter } from "../events/emitter.ts";
import type {
  AuditBody,
  AuditCall,
  AuditDecision,
  AuditDraft,
  AuditFiltered,
  AuditPerson,
  JudgedUnder,
} from "./audit-row.ts";
import { type DecidingParts, judgedUnder } from "./judged-under.ts";
import type { Redactor } from "./redact-value.ts";

/** A session whose calls are logged, and its owner. */
export interface AuditedSession {
  readonly session: { readonly id: string; readonly on: Emitter["on"] } & Partial<DecidingParts>;
  readonly label: string;
  readonly principal: string;
  /** What its client is given now. */
  readonly profile?: AuditedProfile;
}

interface AuditedProfile {
  readonly caller: Caller | null;
  readonly given?: ReadonlyMap<string, Pick<Because, "found">>;
}

/** Rows about calls: one when a call ends, and one before that if it takes long. */
export interface CallRows {
  /** Logs the calls of a session until it closes. */
  watch(view: AuditedSession, own?: () => Redactor): void;
  /** Writes those that have run for that many milliseconds. */
  announce(least: number): void;
  close(): void;
}

export interface CallRowsOptions {
  readonly now: () => number;
  /** Makes the row when it is written. */
  readonly push: (draft: () => AuditDraft) => void;
  /** Removes the secrets for sessions that bring no redactor of their own. */
  readonly redactor: () => Redactor;
  /** A session is logged with its first call. */
  readonly isLate: boolean;
  /** Arguments are no part of rows. */
  readonly isApart: boolean;
}

const MOST_ARGUMENTS = 4_096;
const MOST_APART = 65_536;
const MOST_TEXT = 500;
/** A call that runs longer than this gets a row before it ends. */
const LONG = 1_000;

type Subject = Pick<AuditCall, "session" | "client" | "principal" | "person">;

interface OpenCall {
  readonly subject: Subject;
  readonly redactor: () => Redactor;
  /** The subagent that made it; null for the session itself. */
  readonly agent: string | null;
  readonly call: string;
  parent: string | null;
  readonly since: number;
  readonly tool: string;
  /** Null until it is decided. */
  decision: AuditDecision | null;
  /** Null until it starts. */
  given: unknown;
  login: string | undefined;
  announced: boolean;
  readonly judged: JudgedUnder | null;
  /** What of the caller stands in the body. */
  readonly who: Pick<AuditBody, "caller" | "agent">;
  readonly filtered: AuditFiltered[];
}

export function createCallRows({ now, push, redactor: common, isLate, isApart }: CallRowsOptions): CallRows {
  const open = createPassingSet<OpenCall>();
  let looking: NodeJS.Timeout | null = null;
  const announce = (least: number): void => {
    for (const one of open) {
      if (one.announced || now() - one.since < least) continue;
      one.announced = true;
      const [{ given }, own] = [one, one.redactor()];
      push(() => toCall("call.running", one, given, own, isApart));
    }
  };
  /** One timer for all calls, and none while nothing runs. */
  const look = (): void => {
    looking ??= setTimeout(() => {
      looking = null;
      announce(LONG);
      if ([...open].some(({ announced }) => !announced)) look();
    }, LONG).unref();
  };
  return {
    announce,
    watch(view, redactor = common) {
      const { session, label, principal } = view;
      const toPerson = createPersonOf(view);
      const subject = (): Subject => ({ session: session.id, client: cut(label), principal, ...toPerson() });
      const calls = createPassingMap<string, OpenCall>();
      let isWritten = false;
      const write = (): void => {
        if (isWritten) return;
        isWritten = true;
        const opened = { type: "session.opened", text: "a client opened a session" } as const;
        const own = subject();
        push(() => ({ entry: { ...opened, ...own, client: redactor().text(own.client) } }));
      };
      const find = (id: string, tool: string, { agent }: SessionEvent): OpenCall => {
        const key = keyOf(id, agent);
        const known = calls.get(key);
        if (known !== undefined) return known;
        write();
        const who = isApart ? whoOf(view) : NO_WHO;
        const begun = { subject: subject(), redactor, agent, call: id, since: now(), tool };
        const one = toOpenCall(begun, judgedUnderOf(session), who);
        calls.set(key, one);
        open.add(one);
        look();
        return one;
      };
      session.on("tool.execution_start", ({ toolCallId, toolName, parentToolCallId }, event) => {
        if (parentToolCallId !== null) find(toolCallId, toolName, event).parent = parentToolCallId;
      });
      session.on("permission.completed", ({ toolCallId, toolName, decision, code, text, origin, by }, event) => {
        find(toolCallId, toolName, event).decision = { decision, code, text, origin, by };
      });
      session.on("tool.filtered", ({ toolCallId, toolName, on, found }, event) => {
        find(toolCallId, toolName, event).filtered.push(...found.map((one) => ({ on, ...one })));
      });
      session.on("tool.running", ({ toolCallId, toolName, arguments: given, login }, event) => {
        const one = find(toolCallId, toolName, event);
        one.given = given;
        one.login = login;
      });
      session.on("tool.execution_complete", (ended, event) => {
        const { toolCallId, toolName, arguments: given, resultType, code, error, duration, cancelledBy } = ended;
        const one = find(toolCallId, toolName, event);
        calls.delete(keyOf(toolCallId, event.agent));
        open.delete(one);
        const own = redactor();
        const came = { result: resultType, code, error, duration, cancelledBy };
        push(() => toCall("call", one, given, own, isApart, came));
      });
      if (!isLate) write();
    },
    close() {
      if (looking !== null) clearTimeout(looking);
    },
  };
}

const NO_WHO: OpenCall["who"] = {};

/** Written out: there is one per call, and copying parts into it takes longer than everything else here. */
function toOpenCall(
  {
    subject,
    redactor,
    agent,
    call,
    since,
    tool,
  }: Pick<OpenCall, "subject" | "redactor" | "agent" | "call" | "since" | "tool">,
  judged: OpenCall["judged"],
  who: OpenCall["who"],
): OpenCall {
  return {
    subject,
    redactor,
    agent,
    call,
    since,
    tool,
    judged,
    who,
    filtered: [],
    parent: null,
    decision: null,
    given: null,
    login: undefined,
    announced: false,
  };
}

/** Who uses a session, as its rows say it: the same object while their profile is the same. */
function createPersonOf(view: AuditedSession): () => Pick<Subject, "person"> {
  let known: { readonly of: AuditedProfile; readonly says: Pick<Subject, "person"> } | null = null;
  return () => {
    const { profile } = view;
    if (profile === undefined) return {};
    if (known?.of !== profile) known = { of: profile, says: toPersonOf(profile) };
    return known.says;
  };
}

function toPersonOf({ caller, given = new Map() }: AuditedProfile): Pick<Subject, "person"> {
  if (caller === null) return {};
  const { issuer, subject, client } = caller;
  const profiles = [...given].map(([name, { found }]) => ({ name, found }));
  return { person: { issuer, subject, client, profiles } satisfies AuditPerson };
}

/** What only auditors may know of the caller, and what rules ask about. */
function whoOf({ profile, session }: AuditedSession): OpenCall["who"] {
  const { caller = null } = profile ?? {};
  const agent = session.config?.agent?.value;
  return {
    ...(caller === null ? {} : { caller: { groups: caller.groups, claims: caller.claims } }),
    ...(agent === undefined ? {} : { agent }),
  };
}

function judgedUnderOf({ config, toolset }: AuditedSession["session"]): JudgedUnder | null {
  return config === undefined || toolset === undefined ? null : judgedUnder({ config, toolset });
}

/** A call that a client runs itself, and what was decided about it here. */
export interface GuardedCall extends Pick<AuditCall, "session" | "client" | "principal" | "call" | "tool"> {
  readonly agent: string | null;
  readonly given: unknown;
  readonly decision: AuditDecision;
}

export function toJudgedRow(judged: GuardedCall, own: Redactor, isApart: boolean): AuditDraft {
  const { session, client, principal, given, ...rest } = judged;
  const one = {
    ...rest,
    subject: { session, client, principal },
    parent: null,
    login: undefined,
    judged: null,
    who: {},
    filtered: [],
  };
  return toCall("call.judged", one, given, own, isApart);
}

/** Agents of one session may use the same ids. */
function keyOf(id: string, agent: string | null): string {
  return agent === null ? id : `${agent} ${id}`;
}

type CallEnd = Pick<AuditCall, "result" | "error" | "duration" | "cancelledBy"> & {
  /** A tool may say one of its own, which is text of strangers. */
  readonly code?: string | undefined;
};

const OPEN: CallEnd = { result: null, error: null, duration: null, cancelledBy: null };

function toCall(
  type: AuditCall["type"],
  one: Pick<
    OpenCall,
    "subject" | "agent" | "call" | "parent" | "tool" | "login" | "decision" | "judged" | "who" | "filtered"
  >,
  given: unknown,
  own: Redactor,
  isApart: boolean,
  { result, code, error, duration, cancelledBy }: CallEnd = OPEN,
): AuditDraft {
  const { subject, agent, call, parent, tool, login, judged, who, filtered } = one;
  const why = error === null ? null : own.text(error).slice(0, MOST_TEXT);
  const decision = one.decision === null ? null : toDecision(one.decision, own);
  const kept = toKept(given, own, isApart ? MOST_APART : MOST_ARGUMENTS);
  // What is undefined is no part of the row; leaving it out here would take longer than writing the row.
  const entry: AuditCall = {
    type,
    session: subject.session,
    client: own.text(subject.client),
    principal: subject.principal,
    person: subject.person,
    call: cut(own.text(call)),
    parent: parent === null ? undefined : cut(parent),
    agent: agent === null ? undefined : cut(agent),
    // A model may call anything, including a name that contains a secret.
    tool: cut(own.text(tool)),
    login,
    arguments: isApart ? undefined : kept.value,
    argumentsDigest: isApart ? undefined : kept.digest,
    judged: judged ?? undefined,
    filtered: filtered.length === 0 ? undefined : filtered.map((found) => toFiltered(found, own, isApart)),
    decision: isApart && decision !== null ? { ...decision, text: "" } : decision,
    result,
    code: code !== undefined && Object.hasOwn(CODES, code) ? code : undefined,
    error: isApart ? null : why,
    duration: duration === null ? null : Math.round(duration * 1_000) / 1_000,
    cancelledBy,
  };
  if (!isApart) return { entry };
  const body: AuditBody = {
    ...{ arguments: kept.value, ...(kept.isCut ? { isCut: true } : {}), ...who },
    ...{ error: why, reason: decision?.text ?? null },
  };
  return { entry, body };
}

/** Arguments without secrets; those that are too long as the beginning of their text. */
function toKept(given: unknown, own: Redactor, most: number) {
  const text = JSON.stringify(given) ?? "null";
  const isCut = text.length > most;
  const value = own.value(given);
  return { isCut, value: isCut ? cutValue(value, most) : value, digest: hash("sha256", text, "hex") };
}

function toDecision({ decision, code, text, origin, by }: AuditDecision, own: Redactor): AuditDecision {
  return { decision, code, text: own.text(text).slice(0, MOST_TEXT), origin, by };
}

/** What a judge said may repeat arguments. */
function toFiltered({ reason, ...found }: AuditFiltered, own: Redactor, isApart: boolean): AuditFiltered {
  return reason === undefined || isApart ? found : { ...found, reason: own.text(reason).slice(0, MOST_TEXT) };
}

function cut(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

/** A value that is too long is stored as readable text. */
function cutValue(value: unknown, most: number): string {
  return `${(JSON.stringify(value) ?? "").slice(0, most)}…`;
}
