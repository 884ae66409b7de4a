import { setTimeout } from "node:timers/promises";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { SqliteFailure } from "./sqlite-engine.ts";

/** Milliseconds for which a write is retried, without blocking, before the store counts as unreachable. */
const PATIENCE = 10_000;

const [BUSY, LOCKED] = [5, 6];
/** Primary result codes that may be temporary: no memory, read-only, interrupted, i/o, full, cannot open, protocol. */
const PASSING = new Set([BUSY, LOCKED, 7, 8, 9, 10, 13, 14, 15]);
const [CORRUPT, NOT_A_DATABASE] = [11, 26];
const DAMAGED = new Set([CORRUPT, NOT_A_DATABASE]);
const MEND =
  "it is damaged inside. The next program that opens it puts it aside under another name and begins a new one: end the programs that use it, and try again; `sqlite3 FILE .recover` can often save what it holds";

/** What a person can do about it, by primary result code. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [BUSY, "another program has been writing to it all the time: end that one, or try again"],
  [8, "see who may write to that file and its folder"],
  [10, "see whether that disk is full or damaged"],
  [13, "make room on that disk"],
  [14, "see who may write to that file and its folder"],
  ...[CORRUPT, NOT_A_DATABASE].map((code) => [code, MEND] as const),
]);

/** Retries while another process writes, without blocking this one. */
export async function patiently<T>(work: () => T): Promise<T> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const isBusy = error instanceof SqliteFailure && (error.sqlite === BUSY || error.sqlite === LOCKED);
      if (!isBusy || performance.now() > end) throw error;
    }
    await setTimeout(5 + Math.random() * 20);
  }
}

export function isDamaged(error: unknown): boolean {
  return error instanceof SqliteFailure && DAMAGED.has(error.sqlite);
}

export function toTold(error: unknown, path: string): unknown {
  if (!(error instanceof SqliteFailure)) return error;
  if (!PASSING.has(error.sqlite) && !isDamaged(error)) return error;
  const advice = ADVICE.get(error.sqlite);
  const text = `the store at ${path} cannot be used now: ${error.message}${advice === undefined ? "" : `; ${advice}`}`;
  return new ToolcribError("store.unavailable", text);
}
