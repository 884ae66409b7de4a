import { createHash } from "node:crypto";

type Arguments = Readonly<Record<string, unknown>>;

interface SampleTool {
  readonly definition: Readonly<Record<string, unknown>> & { readonly name: string };
  /** Returns what the model reads; throws an error that the model can act on. */
  readonly run: (args: Arguments) => Readonly<Record<string, unknown>>;
}

/** A read-only tool. All its arguments are texts, with an optional description each. */
function reading(
  about: { readonly name: string; readonly title: string; readonly description: string },
  args: Readonly<Record<string, { readonly description?: string }>>,
  run: SampleTool["run"],
  { required = Object.keys(args), idempotentHint = true } = {},
): SampleTool {
  const properties = Object.fromEntries(Object.entries(args).map(([name, own]) => [name, { type: "string", ...own }]));
  const inputSchema = { type: "object", properties, required, additionalProperties: false };
  const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint, openWorldHint: false };
  return { definition: { ...about, inputSchema, annotations }, run };
}

/** Small tools that need no network, key or setup, and that models are bad at without them. */
export const SAMPLE_TOOLS: readonly SampleTool[] = [
  reading(
    {
      name: "time_in",
      title: "Time in a place",
      description: "The date and time in a time zone, now or at a given moment, and how far it is from UTC.",
    },
    {
      zone: { description: "IANA name, such as Europe/Berlin or America/New_York" },
      at: { description: "ISO 8601; now if left out" },
    },
    ({ zone, at }) => tellTime(String(zone), at === undefined ? null : String(at)),
    { required: ["zone"], idempotentHint: false },
  ),
  reading(
    {
      name: "measure_text",
      title: "Measure a text",
      description: "Counts characters, words, lines and bytes of a text exactly, and gives its SHA-256.",
    },
    { text: {} },
    ({ text }) => {
      const whole = String(text);
      return {
        characters: [...new Intl.Segmenter().segment(whole)].length,
        words: whole.split(/\s+/).filter((word) => word !== "").length,
        lines: whole === "" ? 0 : whole.replace(/\n$/, "").split("\n").length,
        bytes: Buffer.byteLength(whole),
        sha256: createHash("sha256").update(whole).digest("hex"),
      };
    },
  ),
  reading(
    {
      name: "days_between",
      title: "Days between dates",
      description: "How many days lie between two dates, and how many of them are weekdays.",
    },
    { from: { description: "YYYY-MM-DD" }, to: { description: "YYYY-MM-DD" } },
    ({ from, to }) => {
      const [start, end] = [toDay(from), toDay(to)];
      const days = end - start;
      const [first, span] = days < 0 ? [end, -days] : [start, days];
      const rest = Array.from({ length: span % 7 }, (_, at) => first + at).filter(isWeekday).length;
      return { days, weekdays: Math.sign(days) * (Math.floor(span / 7) * 5 + rest) };
    },
  ),
];

function tellTime(zone: string, at: string | null) {
  const moment = at === null ? new Date() : new Date(at);
  if (Number.isNaN(moment.getTime())) throw new RangeError(`${at} is no ISO 8601 date`);
  const format = (locale: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: zone, ...options });
  const parts = format("en", { timeZoneName: "longOffset" }).formatToParts(moment);
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  return {
    zone,
    local: format("sv-SE", { dateStyle: "short", timeStyle: "medium" }).format(moment),
    weekday: format("en", { weekday: "long" }).format(moment),
    offset: offset === "GMT" ? "+00:00" : offset.replace("GMT", ""),
    utc: moment.toISOString(),
  };
}

const DAY = 86_400_000;

/** Days since 1970. */
function toDay(given: unknown): number {
  const day = Date.parse(`${String(given)}T00:00:00Z`) / DAY;
  if (Number.isNaN(day)) throw new RangeError(`${String(given)} is not a date of the form YYYY-MM-DD`);
  return day;
}

/** The first day of 1970 was a Thursday. */
function isWeekday(day: number): boolean {
  const weekday = (((day + 4) % 7) + 7) % 7;
  return weekday !== 0 && weekday !== 6;
}
