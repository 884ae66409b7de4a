import { KEPT_FILES, listAuditFiles } from "./audit-file.ts";
import { FEWEST_HEADS, type Head, loadHeads } from "./audit-head.ts";
import { type AuditRow, GENESIS, isSealed } from "./audit-row.ts";
import { type AuditLine, readAudit } from "./read-audit.ts";

interface AuditProblem {
  /** The file it was found in, if that is one that was put aside. */
  readonly file?: string;
  /** The line it was found at; null for rows missing at the end. */
  readonly line: number | null;
  readonly text: string;
}

export interface AuditVerdict {
  readonly rows: number;
  readonly runs: number;
  /** Runs without an end: they are still running, or were killed. */
  readonly open: number;
  /** Whether a head was found. Without one, rows missing at the end cannot be noticed, so that is a problem. */
  readonly hasHead: boolean;
  readonly problems: readonly AuditProblem[];
}

const MOST_PROBLEMS = 100;

interface Run {
  seq: number;
  hash: string;
  closed: boolean;
}

/**
 * Whether a log is unchanged, including its files that were put aside: every row as written, in order, and chained to
 * the previous one in its run. The chain has no key: anyone who can write both the log and its head can forge all of
 * it, so keep a copy of the head elsewhere if that matters.
 */
export async function verifyAudit(path: string, signal: AbortSignal): Promise<AuditVerdict> {
  const found = await loadHeads(path);
  // Of several heads of a run the furthest counts: nobody hides the end of a log behind an older one.
  const heads = new Map<string, Head>();
  for (const head of found.heads) if (head.seq >= (heads.get(head.run)?.seq ?? 0)) heads.set(head.run, head);
  const kept = await listAuditFiles(path);
  const isPart = kept.length === 0 && /\.\d+$/.test(path);
  const isShort = isPart || (kept.length >= KEPT_FILES && (kept[0]?.number ?? 0) > 1);
  const log: Log = {
    ...{ path, heads, isPart, isShort, problems: [], runs: new Map(), hashes: new Set() },
    ...{ file: path, rows: 0, newest: null, torn: null, onlyFresh: true },
  };
  for (const file of [...kept.map((one) => one.path), path]) {
    log.file = file;
    log.torn = null;
    for await (const line of readAudit(file, signal)) checkLine(log, line);
    reportTorn(log, "is not a whole row: its writer was stopped");
  }
  checkHeads(log, found.flaw);
  const { rows, runs, problems } = log;
  const open = [...runs.values()].filter(({ closed }) => !closed).length;
  return { rows, runs: runs.size, open, hasHead: heads.size > 0, problems };
}

/** A log as read so far. */
interface Log {
  readonly path: string;
  /** By run. */
  readonly heads: ReadonlyMap<string, Head>;
  /** One file of several, checked alone. */
  readonly isPart: boolean;
  /** Its beginning may be gone: older files are deleted only when there are enough newer ones. */
  readonly isShort: boolean;
  readonly problems: AuditProblem[];
  readonly runs: Map<string, Run>;
  readonly hashes: Set<string>;
  file: string;
  rows: number;
  newest: string | null;
  /** A line that is no row, until the rows after it say why. */
  torn: AuditLine | null;
  /** Whether all runs so far began with an empty log. */
  onlyFresh: boolean;
}

function report({ problems, file, path }: Log, line: number | null, text: string): void {
  if (problems.length < MOST_PROBLEMS) problems.push({ ...(file === path ? {} : { file }), line, text });
}

function reportTorn(log: Log, text: string): void {
  if (log.torn !== null) report(log, log.torn.number, text);
}

function checkLine(log: Log, line: AuditLine): void {
  const { number, text, row } = line;
  if (row === null) {
    reportTorn(log, "is not a row");
    log.torn = line;
    return;
  }
  if (!isSealed(text)) report(log, number, "was changed after it was written");
  else {
    checkPlace(log, row, number);
    const head = log.heads.get(row.run);
    if (head?.seq === row.seq && head.hash !== row.hash) report(log, number, "is not the row that was written here");
  }
  if (!isOpening(row)) {
    if (log.torn !== null && !isAbout(row, log.torn)) report(log, log.torn.number, "is not a row");
    log.torn = null;
  }
  log.rows += 1;
  log.newest = row.run;
  log.hashes.add(row.hash);
  log.runs.set(row.run, { seq: row.seq, hash: row.hash, closed: row.type === "log.closed" });
}

function checkPlace(log: Log, row: AuditRow, line: number): void {
  const run = log.runs.get(row.run);
  if (run !== undefined) {
    if (row.seq !== run.seq + 1)
      report(log, line, `row ${row.seq} of run ${row.run} follows row ${run.seq}: rows are missing or moved`);
    else if (row.prev !== run.hash) report(log, line, "does not follow from the row before it");
    return;
  }
  const isStart = row.type === "log.opened" && row.seq === 0;
  if (row.type === "log.continued" && log.isShort) return;
  const isFirst = line === 1 && (log.isPart || row.prev === GENESIS);
  if (row.type === "log.moved") report(log, line, `what run ${row.run} had written before was taken away`);
  else if (!isStart) report(log, line, `run ${row.run} begins with row ${row.seq}: what was before it is missing`);
  else if (!isFirst && (row.prev === GENESIS ? !log.onlyFresh : !log.hashes.has(row.prev)))
    report(log, line, "does not follow from what was there when its run began: earlier rows are missing");
  if (row.prev !== GENESIS) log.onlyFresh = false;
}

/** What only the heads show: rows and whole runs that are missing at the end. */
function checkHeads(log: Log, flaw: string | null): void {
  const { heads, runs, isPart } = log;
  for (const { run, seq } of heads.values()) {
    const known = runs.get(run);
    if (known !== undefined && known.seq < seq)
      report(log, null, `the last ${seq - known.seq} rows of run ${run} are missing`);
    // A run that is active, or was killed, may be ahead of its head for a moment.
    else if (known?.closed === true && known.seq > seq)
      report(log, null, `the head of run ${run} is older than its last row: it was put back`);
  }
  if (!isPart && log.rows > 0 && flaw !== null) report(log, null, `${flaw}, so rows missing at its end cannot be told`);
  else if (!isPart) {
    // If heads were deleted, only the newest run certainly has one.
    const wanted = heads.size < FEWEST_HEADS ? [...runs.keys()] : [log.newest];
    const bare = wanted.filter((run) => run !== null && !heads.has(run));
    if (bare.length > 0)
      report(log, null, `there is no head of ${named(bare)}, so rows missing at its end cannot be told`);
  }
  // If whole files were deleted, only the newest run certainly has rows.
  const headed = [...heads.keys()];
  const lost = (log.isShort ? headed.slice(-1) : headed).filter((run) => !runs.has(run));
  if (lost.length > 0) report(log, null, `all rows of ${named(lost)} are missing`);
}

function named(runs: readonly (string | null)[]): string {
  const [first, ...others] = runs;
  return others.length === 0 ? `run ${first}` : `run ${first} and of ${others.length} more`;
}

/** What a program writes when it opens a file, before it reports what it found at the end. */
function isOpening({ type }: AuditRow): boolean {
  return type === "log.opened" || type === "log.continued" || type === "log.moved";
}

/** The next run reported that it found this at the end of the file. */
function isAbout(row: AuditRow, { text }: AuditLine): boolean {
  return row.type === "log.torn" && row.text.startsWith(`${Buffer.byteLength(text)} bytes `);
}
