/** Minutes, hours, days of the month, months and days of the week at which something is due. */
export interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** If both days of the month and of the week are given, either is enough, as in every cron. */
  readonly eitherDay: boolean;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Reads the five fields of a cron line: numbers, names, `*`, ranges, steps, lists. Null if it is invalid. */
export function parseCron(text: string): Cron | null {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 5) return null;
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  const minutes = readField(minute, 0, 59);
  const hours = readField(hour, 0, 23);
  const days = readField(day, 1, 31);
  const months = readField(month, 1, 12, MONTHS);
  const weekdays = readField(weekday, 0, 7, WEEKDAYS);
  if (!minutes || !hours || !days || !months || !weekdays) return null;
  // Sunday is 0 and 7.
  const week = new Set([...weekdays].map((one) => one % 7));
  return { minutes, hours, days, months, weekdays: week, eitherDay: !day.startsWith("*") && !weekday.startsWith("*") };
}

function readField(
  text: string,
  least: number,
  most: number,
  names: readonly string[] = [],
): ReadonlySet<number> | null {
  const found = new Set<number>();
  for (const part of text.split(",")) {
    const match = /^(\*|[a-z\d]+(?:-[a-z\d]+)?)(?:\/(\d+))?$/i.exec(part);
    if (match === null) return null;
    const [, range = "", step = "1"] = match;
    const [first = "", last = match[2] === undefined ? first : String(most)] =
      range === "*" ? [String(least), String(most)] : range.split("-");
    const [from, to] = [first, last].map((one) => readNumber(one, names, least));
    const by = Number(step);
    if (from === undefined || to === undefined || !(from >= least && from <= to && to <= most) || by < 1) return null;
    for (let at = from; at <= to; at += by) found.add(at);
  }
  return found;
}

function readNumber(text: string, names: readonly string[], least: number): number {
  const at = names.indexOf(text.toLowerCase().slice(0, 3));
  return at >= 0 ? at + least : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
}

const LONGEST = 5 * 366 * 86_400_000;

/** The first matching full minute after a moment, in local time; null if there is none within five years. */
export function nextOf(cron: Cron, after: number): number | null {
  const time = new Date(after);
  time.setSeconds(0, 0);
  time.setMinutes(time.getMinutes() + 1);
  while (time.getTime() <= after + LONGEST) {
    if (!cron.months.has(time.getMonth() + 1)) {
      time.setMonth(time.getMonth() + 1, 1);
      time.setHours(0, 0);
    } else if (!isDay(cron, time)) {
      time.setDate(time.getDate() + 1);
      time.setHours(0, 0);
    } else if (!cron.hours.has(time.getHours())) {
      time.setTime(time.getTime() + (60 - time.getMinutes()) * 60_000);
    } else if (!cron.minutes.has(time.getMinutes())) {
      time.setTime(time.getTime() + 60_000);
    } else return time.getTime();
  }
  return null;
}

function isDay({ days, weekdays, eitherDay }: Cron, time: Date): boolean {
  const [byDate, byWeek] = [days.has(time.getDate()), weekdays.has(time.getDay())];
  return eitherDay ? byDate || byWeek : byDate && byWeek;
}
