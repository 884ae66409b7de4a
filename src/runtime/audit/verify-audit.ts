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
  /** One file of several, checked alone. */
  const isPart = kept.length === 0 && /\.\d+$/.test(path);
  /** Older files are deleted only when there are enough newer ones. */
  const isShort = isPart || (kept.length >= KEPT_FILES && (kept[0]?.number ?? 0) > 1);
  const problems: AuditProblem[] = [];
  const runs = new Map<string, Run>();
  const hashes = new Set<string>();
  let file: string = path;
  let rows = 0;
  let newest: string | null = null;
  let torn: AuditLine | null = null;
  let onlyFresh = true;
  const report = (line: number | null, text: string): void => {
    if (problems.length < MOST_PROBLEMS) problems.push({ ...(file === path ? {} : { file }), line, text });
  };

  const checkPlace = (row: AuditRow, line: number): void => {
    const run = runs.get(row.run);
    if (run !== undefined) {
      if (row.seq !== run.seq + 1)
        report(line, `row ${row.seq} of run ${row.run} follows row ${run.seq}: rows are missing or moved`);
      else if (row.prev !== run.hash) report(line, "does not follow from the row before it");
      return;
    }
    const isStart = row.type === "log.opened" && row.seq === 0;
    if (row.type === "log.continued" && isShort) return;
    const isFirst = line === 1 && (isPart || row.prev === GENESIS);
    if (row.type === "log.moved") report(line, `what run ${row.run} had written before was taken away`);
    else if (!isStart) report(line, `run ${row.run} begins with row ${row.seq}: what was before it is missing`);
    else if (!isFirst && (row.prev === GENESIS ? !onlyFresh : !hashes.has(row.prev)))
      report(line, "does not follow from what was there when its run began: earlier rows are missing");
    if (row.prev !== GENESIS) onlyFresh = false;
  };

  const checkLine = (line: AuditLine): void => {
    const { number, text, row } = line;
    if (row === null) {
      if (torn !== null) report(torn.number, "is not a row");
      torn = line;
      return;
    }
    if (!isSealed(text)) report(number, "was changed after it was written");
    else {
      checkPlace(row, number);
      const head = heads.get(row.run);
      if (head?.seq === row.seq && head.hash !== row.hash) report(number, "is not the row that was written here");
    }
    if (torn !== null && !(isOpening(row) || isAbout(row, torn))) report(torn.number, "is not a row");
    if (!isOpening(row)) torn = null;
    rows += 1;
    newest = row.run;
    hashes.add(row.hash);
    runs.set(row.run, { seq: row.seq, hash: row.hash, closed: row.type === "log.closed" });
  };

  for (file of [...kept.map((one) => one.path), path]) {
    torn = null;
    for await (const line of readAudit(file, signal)) checkLine(line);
    if (torn !== null) report((torn as AuditLine).number, "is not a whole row: its writer was stopped"); // Set by the loop.
  }
  for (const { run, seq } of heads.values()) {
    const known = runs.get(run);
    if (known !== undefined && known.seq < seq)
      report(null, `the last ${seq - known.seq} rows of run ${run} are missing`);
    // A run that is active, or was killed, may be ahead of its head for a moment.
    else if (known?.closed === true && known.seq > seq)
      report(null, `the head of run ${run} is older than its last row: it was put back`);
  }
  if (!isPart && rows > 0 && found.flaw !== null)
    report(null, `${found.flaw}, so rows missing at its end cannot be told`);
  else if (!isPart) {
    // If heads were deleted, only the newest run certainly has one.
    const wanted = heads.size < FEWEST_HEADS ? [...runs.keys()] : [newest];
    const bare = wanted.filter((run) => run !== null && !heads.has(run));
    if (bare.length > 0) report(null, `there is no head of ${named(bare)}, so rows missing at its end cannot be told`);
  }
  // If whole files were deleted, only the newest run certainly has rows.
  const headed = [...heads.keys()];
  const lost = (isShort ? headed.slice(-1) : headed).filter((run) => !runs.has(run));
  if (lost.length > 0) report(null, `all rows of ${named(lost)} are missing`);
  const open = [...runs.values()].filter(({ closed }) => !closed).length;
  return { rows, runs: runs.size, open, hasHead: heads.size > 0, problems };
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
