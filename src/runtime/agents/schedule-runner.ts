import type { StoredSchedule } from "../../sources/schedule.ts";
import type { Clock, Timer } from "../../system/time/clock.ts";
import type { ScheduleBook } from "./schedule-book.ts";

export interface RunnerPorts {
  readonly book: ScheduleBook;
  /** Runs it to its end, stored under that id; returns how it ended. */
  readonly run: (schedule: StoredSchedule, sessionId: string, signal: AbortSignal) => Promise<string>;
  readonly clock: Clock;
  readonly today: () => number;
  readonly onEvent: (text: string) => void;
}

/** Another process may have added a schedule that is due sooner. */
const LOOKS_AGAIN = 15_000;

/** Runs what is due for as long as it is open (B7). */
export function createScheduleRunner({ book, run, clock, today, onEvent }: RunnerPorts): { close(): Promise<void> } {
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  let timer: Timer = null;
  let looking: Promise<void> = Promise.resolve();

  const runOne = async (id: string): Promise<void> => {
    const claimed = await book.claim(id);
    if (claimed === null || stop.signal.aborted) return;
    const { schedule, sessionId } = claimed;
    onEvent(`schedule ${id} runs as session ${sessionId}`);
    const end = await run(schedule, sessionId, stop.signal).catch(describeError);
    onEvent(`schedule ${id}: ${end}`);
    await book.ended(id, sessionId, end);
  };
  const look = async (): Promise<void> => {
    const schedules = await book.list();
    const due = schedules.filter(({ next }) => next !== null && next <= today());
    for (const { id } of due) {
      const one = runOne(id).catch((error: unknown) => onEvent(`schedule ${id}: ${describeError(error)}`));
      running.add(one);
      void one.finally(() => running.delete(one));
    }
    const waits = schedules.flatMap(({ next }) => (next === null || next <= today() ? [] : [next - today()]));
    again(Math.min(LOOKS_AGAIN, ...waits));
  };
  const again = (delay: number): void => {
    if (stop.signal.aborted) return;
    timer = clock.setTimeout(() => {
      looking = look().catch((error: unknown) => {
        onEvent(`schedules cannot be read: ${describeError(error)}`);
        again(LOOKS_AGAIN);
      });
    }, delay);
  };
  again(0);
  return {
    async close() {
      stop.abort("closed");
      clock.clearTimeout(timer);
      await looking;
      await Promise.all(running);
    },
  };
}

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
