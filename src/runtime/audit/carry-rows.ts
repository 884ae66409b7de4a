import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { writeWhole } from "../../system/files/write-whole.ts";
import { LOG_START, type LogPosition, type ReadRow, readFrom } from "./read-from.ts";

/** Rows that were lost on the way: the file they stood in was gone before, or the other side refused them. */
export interface RowGap {
  readonly id: string;
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly text: string;
  /** Null where it is not known which. */
  readonly missing: { readonly run: string; readonly from: number; readonly to: number } | null;
}

export type Carried = (ReadRow & { readonly gap?: undefined }) | { readonly gap: RowGap };

/** Where rows of a log go. */
export interface RowSink {
  /** For people and the file with the position: nothing secret. */
  readonly name: string;
  /** Bytes that are sent at once. */
  readonly mostBytes: number;
  /** Resolves once the other side has them; rejects if that is not certain, and they are sent again. */
  send(rows: readonly Carried[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The other side will never take these rows, however often they come. */
export class RefusedRows extends Error {}

/** Carries all rows of a log to one sink: in order, each at least once, the file itself being what waits. */
export interface RowCarrier {
  readonly name: string;
  readonly sent: number;
  /** Rows that are known to be missing there. */
  readonly lost: number;
  /** Why the last try failed; null while all is well. */
  readonly failing: string | null;
  /** Rows were written. */
  wake(): void;
  /** Tries what is left once more, within that many milliseconds. */
  close(within?: number): Promise<void>;
}

export interface CarrierOptions {
  /** The log. */
  readonly path: string;
  readonly sink: RowSink;
  readonly onError: (text: string, error: unknown) => void;
  readonly onRecovered?: (text: string) => void;
  /** Milliseconds between two tries at first; twice as long each time, up to a minute. */
  readonly again?: number;
}

/** Milliseconds: rows of a moment travel together. */
const SOON = 100;
/** Rows that other programs write into the same file. */
const NOW_AND_THEN = 2_000;
const LONGEST = 60_000;
const MOST_RUNS = 200;

/** How far a sink is. */
interface Progress {
  readonly position: LogPosition;
  /** The last number of each run that goes on. */
  readonly runs: ReadonlyMap<string, number>;
}

export async function openCarrier(options: CarrierOptions): Promise<RowCarrier> {
  const { sink, again = 500 } = options;
  const delivery = await createDelivery(options);
  let wait = again;
  let timer: NodeJS.Timeout | null = null;
  let working: Promise<void> | null = null;
  let isClosed = false;
  let isAwake = false;

  const run = (): Promise<void> => {
    // Rows that are read after it was closed belong to the next carrier.
    if (isClosed) return Promise.resolve();
    working ??= delivery.all().finally(() => {
      working = null;
      const isWell = delivery.failing === null;
      wait = isWell ? again : Math.min(wait * 2, LONGEST);
      later(isWell ? NOW_AND_THEN : wait);
    });
    return working;
  };
  const later = (delay: number): void => {
    if (isClosed) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => void run(), delay).unref();
  };
  later(SOON);
  return {
    name: sink.name,
    get sent() {
      return delivery.sent;
    },
    get lost() {
      return delivery.lost;
    },
    get failing() {
      return delivery.failing;
    },
    wake() {
      if (isClosed || isAwake || delivery.failing !== null) return;
      isAwake = true;
      setTimeout(() => {
        isAwake = false;
        void (working ?? Promise.resolve()).then(run);
      }, SOON).unref();
    },
    async close(within = 3_000) {
      if (isClosed) return;
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
      const last = setTimeout(() => delivery.callOff(), within).unref();
      await working;
      if (delivery.failing === null) await delivery.all();
      clearTimeout(last);
      await sink.close();
    },
  };
}

interface Delivery extends Pick<RowCarrier, "sent" | "lost" | "failing"> {
  /** Sends what there is until the end of the log or a failure. */
  all(): Promise<void>;
  callOff(): void;
}

async function createDelivery({ path, sink, onError, onRecovered = () => {} }: CarrierOptions): Promise<Delivery> {
  const place = `${path}.to-${hash("sha256", sink.name, "hex").slice(0, 16)}`;
  let progress = await loadProgress(place);
  const leaving = new AbortController();
  const delivery = { sent: 0, lost: 0, failing: null as string | null, all, callOff: () => leaving.abort() };
  return delivery;

  async function deliver(rows: readonly Carried[]): Promise<void> {
    try {
      await sink.send(rows, leaving.signal);
      delivery.sent += rows.filter(({ gap }) => gap === undefined).length;
    } catch (error) {
      if (!(error instanceof RefusedRows)) throw error;
      const [first] = rows;
      if (rows.length > 1) {
        await deliver(rows.slice(0, rows.length / 2));
        await deliver(rows.slice(rows.length / 2));
      } else if (first !== undefined && first.gap === undefined) {
        delivery.lost += 1;
        onError(`${sink.name} refused a row of the log of calls, which is left out there`, error);
        await deliver([{ gap: toGap("the other side refused rows", first.row, first.row.seq) }]);
      }
    }
  }

  /** False at the end of the log. */
  async function step(): Promise<boolean> {
    const { rows, next, isCut } = await readFrom(path, progress.position, sink.mostBytes);
    if (rows.length === 0) {
      progress = { ...progress, position: next };
      return false;
    }
    const { carried, runs, missing } = withGaps(rows, progress.runs, isCut);
    await deliver(carried);
    delivery.lost += missing;
    progress = { position: next, runs };
    await writeWhole(place, `${JSON.stringify({ ...next, runs: [...runs] })}\n`, 0o600);
    return true;
  }

  function noteWell(): void {
    if (delivery.failing !== null) onRecovered(`rows of the log of calls reach ${sink.name} again`);
    delivery.failing = null;
  }

  async function all(): Promise<void> {
    try {
      while (await step()) noteWell();
      noteWell();
    } catch (error) {
      if (delivery.failing === null && !leaving.signal.aborted)
        onError(`rows of the log of calls do not reach ${sink.name}; they wait in the log`, error);
      delivery.failing = error instanceof Error ? error.message : String(error);
    }
  }
}

/** Rows with what is missing between them. */
function withGaps(rows: readonly ReadRow[], known: ReadonlyMap<string, number>, isCut: boolean) {
  const runs = new Map(known);
  const carried: Carried[] = [];
  let missing = 0;
  const [first] = rows;
  if (isCut && first !== undefined) carried.push({ gap: toCut(first) });
  for (const read of rows) {
    const { run, seq, type } = read.row;
    const last = runs.get(run);
    const from = last === undefined ? (isCut ? 0 : seq) : last + 1;
    if (seq > from) {
      missing += seq - from;
      carried.push({ gap: toGap("rows of the log are missing", read.row, from) });
    }
    carried.push(read);
    runs.delete(run);
    if (type !== "log.closed") runs.set(run, seq);
  }
  for (const run of [...runs.keys()].slice(0, Math.max(0, runs.size - MOST_RUNS))) runs.delete(run);
  return { carried, runs, missing };
}

/** What is missing up to this row, or it itself. */
function toGap(why: string, { run, seq, time }: ReadRow["row"], from: number): RowGap {
  const to = Math.max(from, seq - 1);
  const text = `${why}: ${from} to ${to} of run ${run}`;
  return { id: idOf(text), time, text, missing: { run, from, to } };
}

function toCut({ row }: ReadRow): RowGap {
  const text = "files of the log were gone before all of their rows were sent";
  return { id: idOf(`${text} ${row.hash}`), time: row.time, text, missing: null };
}

/** The same whenever it is sent again. */
function idOf(text: string): string {
  return hash("sha256", `gap: ${text}`, "hex");
}

async function loadProgress(place: string): Promise<Progress> {
  const value = parseJson(await readFile(place, "utf8").catch(() => ""));
  if (!isRecord(value)) return { position: LOG_START, runs: new Map() };
  const { file, at, runs } = value;
  if (typeof file !== "string" || typeof at !== "number") return { position: LOG_START, runs: new Map() };
  const pairs = Array.isArray(runs) ? runs.filter(isPair) : [];
  return { position: { file, at }, runs: new Map(pairs) };
}

function isPair(value: unknown): value is [string, number] {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "number";
}
