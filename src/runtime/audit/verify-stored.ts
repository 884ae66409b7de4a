import { isRecord } from "../../core/shape/is-record.ts";
import type { KeyedSealer } from "../people/sealer.ts";
import type { StoredLogBody, StoredLogRow } from "../store/stored-log.ts";
import { type AuditRow, isCall, isSealed, readRow } from "./audit-row.ts";
import { openBody } from "./body-box.ts";
import { type GatheredPlace, storedHeads } from "./gather.ts";
import type { AuditVerdict } from "./verify-audit.ts";

/** What of a log is gone as its own rows say, and what of its bodies is there. */
export interface StoredVerdict extends AuditVerdict {
  /** Rows of which only the place in the chain is left, by kind. */
  readonly gone: Readonly<Record<string, number>>;
  readonly bodies: {
    /** Opened, and as they were written. */
    readonly kept: number;
    readonly gone: number;
    /** Sealed with a key that is not here, or there is none here. */
    readonly sealed: number;
    /** Not gathered yet. */
    readonly waiting: number;
  };
}

const PAGE = 1_000;
const MOST_PROBLEMS = 100;
/** Milliseconds within which bodies of a machine reach the store. */
const SOON = 60_000;

/**
 * Whether the log of all machines is as it was written: each run's rows in order, chained, with the bodies that their
 * hashes name. What was deleted must be what rows of the log say was deleted.
 */
export async function verifyStored(
  place: GatheredPlace,
  sealer: KeyedSealer | null,
  now: () => number = Date.now,
): Promise<StoredVerdict> {
  const check: Check = {
    ...{ place, sealer, problems: [], rows: 0, open: 0, last: new Map(), blank: new Map() },
    ...{ missing: [], borders: new Map(), bodies: { kept: 0, gone: 0, sealed: 0, waiting: 0 } },
  };
  const runs = await place.store.log.runs(place.scope);
  for (const run of runs) await checkRun(check, run);
  const heads = await storedHeads(place).entries();
  checkHeads(check, heads);
  checkBlank(check);
  checkMissing(check, now());
  const gone = Object.fromEntries([...check.blank].map(([kind, { count }]) => [kind, count]));
  const { rows, open, problems, bodies } = check;
  return { rows, runs: runs.length, open, hasHead: heads.size > 0, problems, gone, bodies };
}

interface Check {
  readonly place: GatheredPlace;
  readonly sealer: KeyedSealer | null;
  readonly problems: { readonly line: null; readonly text: string }[];
  rows: number;
  open: number;
  /** The last number of each run. */
  readonly last: Map<string, number>;
  /** Rows without content, by kind, and the newest moment that one of them can be from. */
  readonly blank: Map<string, { count: number; newest: number }>;
  /** Rows whose bodies are not there. */
  readonly missing: AuditRow[];
  /** What rows say was deleted: until when, by kind, and by person for bodies. */
  readonly borders: Map<string, number>;
  readonly bodies: { kept: number; gone: number; sealed: number; waiting: number };
}

function report({ problems }: Check, text: string): void {
  if (problems.length < MOST_PROBLEMS) problems.push({ line: null, text });
}

async function checkRun(check: Check, run: string): Promise<void> {
  const { store, scope } = check.place;
  let before: StoredLogRow | null = null;
  /** Of the last row with content: rows after it are not older. */
  let time = 0;
  let isClosed = false;
  for (;;) {
    const page: readonly StoredLogRow[] = await store.log.rows(scope, { run, after: before?.seq ?? -1, limit: PAGE });
    const read = page.map((stored) => ({ stored, row: stored.line === null ? null : readRow(stored.line) }));
    for (const { stored, row } of read) {
      checkPlace(check, stored, row, before);
      if (row === null) noteBlank(check, stored, time);
      else {
        time = Date.parse(row.time);
        isClosed = row.type === "log.closed";
        noteBorder(check, row);
      }
      before = stored;
    }
    check.rows += page.length;
    await checkBodies(
      check,
      read.flatMap(({ row }) => row ?? []),
    );
    if (page.length < PAGE) break;
  }
  if (!isClosed) check.open += 1;
  check.last.set(run, before?.seq ?? -1);
}

function checkPlace(check: Check, stored: StoredLogRow, row: AuditRow | null, before: StoredLogRow | null): void {
  const { run, seq, line, prev, hash } = stored;
  const where = `row ${seq} of run ${run}`;
  const isSame = row !== null && row.run === run && row.seq === seq && row.prev === prev && row.hash === hash;
  if (line !== null && !(isSame && isSealed(line))) report(check, `${where} was changed after it was written`);
  if (before === null) {
    if (seq > 0 && row?.type !== "log.continued") report(check, `run ${run} begins with row ${seq}: rows are missing`);
  } else if (seq !== before.seq + 1) report(check, `${where} follows row ${before.seq}: rows are missing`);
  else if (prev !== before.hash) report(check, `${where} does not follow from the row before it`);
}

function noteBlank({ blank }: Check, { kind, at }: StoredLogRow, time: number): void {
  const known = blank.get(kind) ?? { count: 0, newest: 0 };
  blank.set(kind, { count: known.count + 1, newest: Math.max(known.newest, at, time) });
}

function noteBorder({ borders }: Check, row: AuditRow): void {
  if (row.type !== "log.expired" && row.type !== "log.forgotten") return;
  const { what, until, person = "" } = row.gone ?? { what: "", until: "" };
  const key = `${what} ${person}`;
  borders.set(key, Math.max(borders.get(key) ?? 0, Date.parse(until)));
}

async function checkBodies(check: Check, rows: readonly AuditRow[]): Promise<void> {
  const { place, sealer, bodies, missing } = check;
  const wanted = rows.filter((row) => isCall(row) && row.body !== undefined);
  const stored = await place.store.log.bodies(place.scope, wanted);
  const known = new Map(stored.map((body): [string, StoredLogBody] => [`${body.run} ${body.seq}`, body]));
  for (const row of wanted) {
    const body = known.get(`${row.run} ${row.seq}`);
    const hash = isCall(row) ? (row.body ?? "") : "";
    if (body === undefined) missing.push(row);
    else {
      const found = sealer === null ? "sealed" : openBody(body, hash, { sealer, scope: place.scope });
      if (found === "changed") report(check, `the body of row ${row.seq} of run ${row.run} is not what was written`);
      else bodies[found === "sealed" ? "sealed" : "kept"] += 1;
    }
  }
}

/** What only the heads show: rows and whole runs that are missing at the end. */
function checkHeads(check: Check, heads: ReadonlyMap<string, unknown>): void {
  for (const [run, head] of heads) {
    const seq = isRecord(head) ? Number(head.seq) : 0;
    const last = check.last.get(run);
    if (last === undefined) report(check, `all rows of run ${run} are missing`);
    else if (last < seq) report(check, `the last ${seq - last} rows of run ${run} are missing`);
  }
}

/** No content may be gone that no row says was deleted. */
function checkBlank(check: Check): void {
  for (const [kind, { count, newest }] of check.blank) {
    if (newest < (check.borders.get(`${kind} `) ?? 0)) continue;
    const texts = count === 1 ? "1 row" : `${count} rows`;
    report(check, `${texts} of kind ${kind} have no content, and no row says that all of it was deleted`);
  }
}

function checkMissing(check: Check, now: number): void {
  for (const { run, seq, time, principal = "" } of check.missing) {
    const at = Date.parse(time);
    const isDeleted = ["", principal].some((person) => at < (check.borders.get(`bodies ${person}`) ?? 0));
    if (isDeleted) check.bodies.gone += 1;
    else if (at > now - SOON) check.bodies.waiting += 1;
    else report(check, `the body of row ${seq} of run ${run} is missing, and no row says that it was deleted`);
  }
}
