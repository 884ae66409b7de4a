import { MODES, type Mode } from "../core/scene/scene.ts";
import { isRecord } from "../core/shape/is-record.ts";
import { nextOf, parseCron } from "../system/time/cron.ts";

/** A prompt that runs again and again, unattended. */
export interface Schedule {
  readonly id: string;
  /** A cron line in local time; if null, the schedule is due every `every` milliseconds. */
  readonly cron: string | null;
  readonly every: number | null;
  readonly prompt: string;
  /** Null in each of these means: as configured. */
  readonly agent: string | null;
  readonly mode: Mode | null;
  readonly model: string | null;
}

/** A schedule as it is stored, with when it is next due and how its last run ended. */
export interface StoredSchedule extends Schedule {
  /** Milliseconds since 1970; null if it is never due again. */
  readonly next: number | null;
  readonly last: ScheduledRun | null;
  /** How often it was due while its last run was still running. */
  readonly skipped: number;
}

interface ScheduledRun {
  readonly sessionId: string;
  readonly began: number;
  /** How it ended, or the error; null while that is unknown. */
  readonly end: string | null;
}

/** What is wrong with a schedule; null if it is valid. */
export function checkSchedule({ cron, every, prompt }: Pick<Schedule, "cron" | "every" | "prompt">): string | null {
  if (prompt.trim() === "") return "a schedule needs a prompt";
  if ((cron === null) === (every === null)) return "a schedule has either a cron line or an interval";
  if (every !== null && !(every >= SHORTEST)) return "an interval is at least one minute";
  if (cron !== null && parseCron(cron) === null)
    return `${JSON.stringify(cron)} is not a cron line, which has five fields (minute hour day month weekday), such as "0 9 * * mon-fri"`;
  return nextDue({ cron, every }, 0) === null ? "it would never be due" : null;
}

const SHORTEST = 60_000;

/** The first time after `after` at which it is due. */
export function nextDue({ cron, every }: Pick<Schedule, "cron" | "every">, after: number): number | null {
  if (every !== null) return after + every;
  const read = cron === null ? null : parseCron(cron);
  return read === null ? null : nextOf(read, after);
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30m`, `2h`, `1d` in milliseconds; null for anything else. */
export function parseInterval(text: string): number | null {
  const [, count, unit = ""] = /^(\d{1,5})\s*([mhd])$/.exec(text.trim()) ?? [];
  return count === undefined ? null : Number(count) * (UNITS[unit] ?? 0);
}

/** Reads a stored schedule; null for anything else, such as one written by a newer version. */
export function readSchedule(value: unknown): StoredSchedule | null {
  if (!isRecord(value)) return null;
  const { id, cron, every, prompt, agent, mode, model, next, last, skipped } = value;
  if (typeof id !== "string" || typeof prompt !== "string") return null;
  const text = (one: unknown): string | null => (typeof one === "string" ? one : null);
  const number = (one: unknown): number | null => (typeof one === "number" ? one : null);
  return {
    ...{ id, prompt, cron: text(cron), every: number(every), agent: text(agent), model: text(model) },
    mode: MODES.find((known) => known === mode) ?? null,
    next: number(next),
    last: readRun(last),
    skipped: number(skipped) ?? 0,
  };
}

function readRun(value: unknown): ScheduledRun | null {
  if (!isRecord(value) || typeof value.sessionId !== "string" || typeof value.began !== "number") return null;
  const { sessionId, began, end } = value;
  return { sessionId, began, end: typeof end === "string" ? end : null };
}
