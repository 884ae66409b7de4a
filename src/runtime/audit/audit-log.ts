import { randomUUID } from "node:crypto";
import type { Config } from "../../config/config.ts";
import type { AuditHandle } from "./audit-file.ts";
import type { AuditDraft, AuditEntry, AuditNote, AuditRow } from "./audit-row.ts";
import { GENESIS, sealRow } from "./audit-row.ts";
import { type AuditWriter, createAuditWriter } from "./audit-writer.ts";
import type { BodyBox } from "./body-box.ts";
import { type AuditedSession, createCallRows, type GuardedCall, toJudgedRow } from "./call-rows.ts";
import { createLateWriter } from "./late-writer.ts";
import { createRedactor, type Redactor, secretsOf } from "./redact-value.ts";

/** Events in order, each row chained to the one before it. */
export interface AuditLog {
  /** Null: in memory only. */
  readonly path: string | null;
  /** The newest rows, oldest first, if there is no file to read them from. */
  readonly recent: readonly AuditRow[];
  note(entry: AuditNote): void;
  /** Logs a call that a client runs itself. */
  judged(call: GuardedCall): void;
  /** Logs the calls of a session until it closes; without its own secrets, if it names them. */
  watch(view: AuditedSession, redactor?: () => Redactor): void;
  /** Removes the secrets of this configuration from all that follows. */
  hide(config: Config): void;
  /** Resolves when everything so far is written, or cannot be. */
  flush(): Promise<void>;
  /** Writes every call that has started, however short; false if that cannot be written. */
  writeStarted(): Promise<boolean>;
  /** Calls back whenever rows have been written; returns how to stop. */
  onWritten(listener: () => void): () => void;
  /** Writes the rest and closes the file. Twice is fine. */
  close(): Promise<void>;
}

export interface AuditLogOptions {
  readonly path: string | null;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Called when rows cannot be written. */
  readonly onError: (text: string, error: unknown) => void;
  /** The callers refuse calls while rows cannot be written; if absent, calls continue. */
  readonly isRequired?: boolean;
  /** Called when rows can be written again. */
  readonly onRecovered?: (text: string) => void;
  /** Closing does not wait until the rows are on the disk, for somebody waits for the program to end. */
  readonly isHurried?: boolean;
  /** Bytes at which a new file begins. */
  readonly fileBytes?: number;
  readonly openFile?: AuditHandle;
  /** Where bodies of calls go, or that they go nowhere; in their rows if absent. */
  readonly bodies?: BodyBox | "none";
}

const MOST_RECENT = 1_000;
const MOST_TEXT = 2_000;

/**
 * Rows are written in batches, within a twentieth of a second, and synced to the disk when the log is closed: a crash
 * of the program can lose that much, a crash of the machine what its system had not written yet.
 */
export async function openAuditLog(options: AuditLogOptions): Promise<AuditLog> {
  const { path, now = Date.now } = options;
  const chain = createChain(now, path === null, boxOf(options));
  return createLog(path, chain, path === null ? null : await openWriter(path, chain, options), options);
}

/** A log that does nothing before its first row; only then is its path determined and its file opened. */
export function createLateLog(options: Omit<AuditLogOptions, "path"> & { path(): Promise<string> }): AuditLog {
  const chain = createChain(options.now ?? Date.now, false, boxOf(options));
  const writer = createLateWriter(async () => openWriter(await options.path(), chain, options), options.onError);
  return createLog(null, chain, writer, options, true);
}

function createLog(
  path: string | null,
  chain: Chain,
  writer: AuditWriter | null,
  { now = Date.now, bodies }: Pick<AuditLogOptions, "now" | "bodies">,
  isLate = false,
): AuditLog {
  const isApart = bodies !== undefined;
  let redactor: Redactor = createRedactor([]);
  let closed: Promise<void> | null = null;
  let isEmpty = true;
  const push = (draft: () => AuditDraft): void => {
    if (closed !== null) return;
    isEmpty = false;
    const at = now();
    if (writer === null) chain.seal(draft(), at);
    else writer.add(() => `${chain.seal(draft(), at)}\n`);
  };
  const calls = createCallRows({ now, push, redactor: () => redactor, isLate, isApart });
  const onExit = (): void => {
    calls.announce(0);
    writer?.flushNow();
  };
  if (writer !== null) process.on("exit", onExit);

  return {
    path,
    get recent() {
      return chain.recent.slice(-MOST_RECENT);
    },
    note(entry) {
      const text = redactor.text(entry.text).slice(0, MOST_TEXT);
      push(() => ({ entry: { ...entry, text } }));
    },
    judged: (call) => push(() => toJudgedRow(call, redactor, isApart)),
    watch: calls.watch,
    onWritten(listener) {
      chain.written.add(listener);
      return () => void chain.written.delete(listener);
    },
    hide(config) {
      redactor = createRedactor(secretsOf(config));
    },
    async flush() {
      await writer?.flush();
    },
    async writeStarted() {
      calls.announce(0);
      await writer?.flush();
      return writer !== null && !writer.isBroken;
    },
    close() {
      if (closed !== null) return closed;
      if (!(isLate && isEmpty)) push(() => ({ entry: { type: "log.closed", text: "Toolcrib stopped writing" } }));
      calls.close();
      // A program that ends while the last rows are made writes them in its last moment.
      closed = (writer?.close() ?? Promise.resolve()).finally(() => process.off("exit", onExit));
      return closed;
    },
  };
}

/** Rows in order, each with the hash of the one before it. */
interface Chain {
  readonly run: string;
  seq: number;
  prev: string;
  /** Used if there is no file. */
  readonly recent: AuditRow[];
  /** Called back when rows are in the file. */
  readonly written: Set<() => void>;
  seal(draft: AuditDraft, at?: number): string;
}

function boxOf({ bodies }: Pick<AuditLogOptions, "bodies">): BodyBox | null {
  return bodies === undefined || bodies === "none" ? null : bodies;
}

function createChain(now: () => number, isInMemory: boolean, box: BodyBox | null): Chain {
  let lastTime = { at: 0, text: "" };
  /** Many calls end within one millisecond. */
  const toTime = (at: number): string => {
    if (lastTime.at !== at) lastTime = { at, text: new Date(at).toISOString() };
    return lastTime.text;
  };
  const chain: Chain = {
    ...{ run: randomUUID().slice(0, 8), seq: 0, prev: GENESIS, recent: [], written: new Set() },
    seal(draft, at = now()) {
      const { run, seq, prev, recent } = chain;
      const entry = box === null ? draft.entry : withBody(draft, { box, run, seq, at });
      const place = { seq, run, time: toTime(at), prev };
      const { line, hash } = sealRow(place, entry);
      chain.seq += 1;
      chain.prev = hash;
      if (!isInMemory) return line;
      recent.push({ ...place, ...entry, hash });
      if (recent.length > MOST_RECENT * 1.2) recent.splice(0, recent.length - MOST_RECENT);
      return line;
    },
  };
  return chain;
}

function withBody(
  { entry, body }: AuditDraft,
  { box, ...place }: { readonly box: BodyBox; readonly run: string; readonly seq: number; readonly at: number },
): AuditEntry {
  if (body === undefined) return entry;
  return { ...entry, body: box.put({ ...place, person: entry.principal }, body) };
}

function openWriter(path: string, chain: Chain, options: Omit<AuditLogOptions, "path">): Promise<AuditWriter> {
  const { onError, onRecovered = () => {}, isRequired, isHurried, fileBytes, openFile } = options;
  return createAuditWriter({
    ...{ path, onError, onRecovered },
    consequence: isRequired === true ? "calls are refused until it can be" : "calls go on without it",
    head: () => ({ run: chain.run, seq: chain.seq - 1, hash: chain.prev }),
    onLost() {
      chain.seq += 1;
    },
    onOpened({ last, torn }, why) {
      if (why === "first") chain.prev = last;
      const opening = `${chain.seal({ entry: OPENING[why] })}\n`;
      if (torn === 0) return opening;
      // The rest of a torn row stays: nothing that was written is ever removed.
      const text = `${torn} bytes before this run are not a row`;
      const note = chain.seal({ entry: { type: "log.torn", text } });
      return `\n${opening}${note}\n`;
    },
    isHurried: isHurried === true,
    beside: boxOf(options),
    onWritten() {
      for (const listener of chain.written) listener();
    },
    ...(fileBytes === undefined ? {} : { fileBytes }),
    ...(openFile === undefined ? {} : { openFile }),
  });
}

const OPENING = {
  first: { type: "log.opened", text: "Toolcrib began to write" },
  full: { type: "log.continued", text: "the file before this one was full" },
  taken: { type: "log.moved", text: "somebody removed the previous file while Toolcrib wrote to it" },
} as const satisfies Record<string, AuditNote>;
