import { hash, randomUUID } from "node:crypto";
import type { Config } from "../../config/config.ts";
import type { CribView } from "../crib/crib.ts";
import type { AuditHandle } from "./audit-file.ts";
import type { AuditCall, AuditDecision, AuditEntry, AuditNote, AuditRow } from "./audit-row.ts";
import { GENESIS, sealRow } from "./audit-row.ts";
import { type AuditWriter, createAuditWriter } from "./audit-writer.ts";
import { createRedactor, type Redactor, secretsOf } from "./redact-value.ts";

/** What happened, in order, each row tied to the one before it. */
export interface AuditLog {
  /** Null: kept in memory alone. */
  readonly path: string | null;
  /** The newest rows, oldest first, where there is no file to read them from. */
  readonly recent: readonly AuditRow[];
  note(entry: AuditNote): void;
  /** Keeps what happens to the calls of a session, until it closes. */
  watch(view: CribView): void;
  /** Secrets of this configuration are taken out of all that follows. */
  hide(config: Config): void;
  /** Resolves when everything so far is written. */
  flush(): Promise<void>;
  /** Writes the rest and lets go of the file. Twice is fine. */
  close(): Promise<void>;
}

export interface AuditLogOptions {
  readonly path: string | null;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Told when rows cannot be written; calls go on. */
  readonly onError: (text: string, error: unknown) => void;
  /** Told when they are written again. */
  readonly onMended?: (text: string) => void;
  /** Bytes at which another file begins. */
  readonly fileBytes?: number;
  readonly openFile?: AuditHandle;
}

const MOST_RECENT = 1_000;
const MOST_ARGUMENTS = 4_096;
const MOST_TEXT = 500;
/** A call that runs for longer than this gets a row before it ends. */
const LONG = 1_000;

interface OpenCall {
  readonly subject: Pick<AuditCall, "session" | "client" | "principal">;
  readonly call: string;
  readonly since: number;
  readonly tool: string;
  /** Null until it is decided. */
  decision: AuditDecision | null;
  /** Null until it starts. */
  given: unknown;
  announced: boolean;
}

/**
 * Rows are written together, within a twentieth of a second, and synced to the disk when the log is closed: what a crash
 * of the program can lose is that much, what a crash of the machine can lose is what its system had not written yet.
 */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const { path, now = Date.now, onError } = options;
  const run = randomUUID().slice(0, 8);
  const recent: AuditRow[] = [];
  const open = new Set<OpenCall>();
  let redactor: Redactor = createRedactor([]);
  let seq = 0;
  let prev = GENESIS;
  let closed: Promise<void> | null = null;
  let looking: NodeJS.Timeout | null = null;

  let lastTime = { at: 0, text: "" };
  /** Many calls end within one millisecond. */
  const toTime = (at: number): string => {
    if (lastTime.at !== at) lastTime = { at, text: new Date(at).toISOString() };
    return lastTime.text;
  };
  const seal = (entry: AuditEntry, at = now()): string => {
    const place = { seq, run, time: toTime(at), prev };
    const { line, hash: own } = sealRow(place, entry);
    seq += 1;
    prev = own;
    if (path !== null) return `${line}\n`;
    recent.push({ ...place, ...entry, hash: own });
    if (recent.length > MOST_RECENT * 1.2) recent.splice(0, recent.length - MOST_RECENT);
    return line;
  };
  const writer: AuditWriter | null =
    path === null
      ? null
      : await createAuditWriter({
          path,
          onError,
          head: () => ({ run, seq: seq - 1, hash: prev }),
          onLost: () => {
            seq += 1;
          },
          onMended: options.onMended ?? (() => {}),
          onOpened: ({ last, torn }, why) => {
            if (why === "first") prev = last;
            // The rest of a torn row stays: nothing that was written is ever taken back.
            const first = torn === 0 ? "" : "\n";
            const opening = seal(OPENING[why]);
            const note = torn === 0 ? "" : seal({ type: "log.torn", text: `${torn} bytes before this run are no row` });
            return first + opening + note;
          },
          ...(options.fileBytes === undefined ? {} : { fileBytes: options.fileBytes }),
          ...(options.openFile === undefined ? {} : { openFile: options.openFile }),
        });
  const push = (entry: () => AuditEntry): void => {
    if (closed !== null) return;
    const at = now();
    if (writer === null) seal(entry(), at);
    else writer.add(() => seal(entry(), at));
  };

  const toCall = (
    type: AuditCall["type"],
    one: OpenCall,
    given: unknown,
    own: Redactor,
    { result, error, duration, cancelledBy }: CallEnd = OPEN,
  ): AuditCall => {
    const text = JSON.stringify(given) ?? "null";
    const { session, client, principal } = one.subject;
    return {
      type,
      session,
      client,
      principal,
      call: cut(one.call),
      tool: cut(one.tool),
      arguments: text.length <= MOST_ARGUMENTS ? own.value(given) : cutValue(own.value(given)),
      argumentsDigest: hash("sha256", text, "hex"),
      decision: one.decision === null ? null : toDecision(one.decision, own),
      result,
      error: error === null ? null : own.text(error).slice(0, MOST_TEXT),
      duration: duration === null ? null : Math.round(duration * 1_000) / 1_000,
      cancelledBy,
    };
  };

  const announce = (least: number): void => {
    for (const one of open) {
      if (one.announced || now() - one.since < least) continue;
      one.announced = true;
      const [{ given }, own] = [one, redactor];
      push(() => toCall("call.running", one, given, own));
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

  const onExit = (): void => {
    announce(0);
    writer?.flushNow();
  };
  if (writer !== null) process.on("exit", onExit);

  return {
    path,
    get recent() {
      return recent.slice(-MOST_RECENT);
    },
    note(entry) {
      const text = redactor.text(entry.text).slice(0, MOST_TEXT * 4);
      push(() => ({ ...entry, text }));
    },
    watch({ session, label, principal }) {
      const subject = { session: session.id, client: cut(label), principal };
      const calls = new Map<string, OpenCall>();
      const find = (id: string, tool: string): OpenCall => {
        const known = calls.get(id);
        if (known !== undefined) return known;
        const since = now();
        const one: OpenCall = { subject, call: id, tool, since, decision: null, given: null, announced: false };
        calls.set(id, one);
        open.add(one);
        look();
        return one;
      };
      session.on("permission.completed", ({ toolCallId, toolName, decision, code, text, origin, by }) => {
        find(toolCallId, toolName).decision = { decision, code, text, origin, by };
      });
      session.on("tool.running", ({ toolCallId, toolName, arguments: given }) => {
        find(toolCallId, toolName).given = given;
      });
      session.on("tool.execution_complete", (event) => {
        const { toolCallId, toolName, arguments: given, resultType, error, duration, cancelledBy } = event;
        const one = calls.get(toolCallId) ?? {
          ...{ subject, call: toolCallId, tool: toolName, since: now() },
          ...{ decision: null, given, announced: true },
        };
        calls.delete(toolCallId);
        open.delete(one);
        const own = redactor;
        push(() => toCall("call", one, given, own, { result: resultType, error, duration, cancelledBy }));
      });
      push(() => ({ type: "session.opened", ...subject, text: "a client's session was opened" }));
    },
    hide(config) {
      redactor = createRedactor(secretsOf(config));
    },
    async flush() {
      await writer?.flush();
    },
    close() {
      if (closed !== null) return closed;
      push(() => ({ type: "log.closed", text: "Toolcrib stopped writing" }));
      process.off("exit", onExit);
      if (looking !== null) clearTimeout(looking);
      closed = writer?.close() ?? Promise.resolve();
      return closed;
    },
  };
}

const OPENING = {
  first: { type: "log.opened", text: "Toolcrib began to write" },
  full: { type: "log.continued", text: "the file before this one was full" },
  taken: { type: "log.moved", text: "somebody took the file before this one away while Toolcrib wrote to it" },
} as const satisfies Record<string, AuditNote>;

type CallEnd = Pick<AuditCall, "result" | "error" | "duration" | "cancelledBy">;

const OPEN: CallEnd = { result: null, error: null, duration: null, cancelledBy: null };

function toDecision({ decision, code, text, origin, by }: AuditDecision, own: Redactor): AuditDecision {
  return { decision, code, text: own.text(text).slice(0, MOST_TEXT), origin, by };
}

function cut(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}

/** What is too long to keep as it is stays readable as text. */
function cutValue(value: unknown): string {
  return `${(JSON.stringify(value) ?? "").slice(0, MOST_ARGUMENTS)}…`;
}
