import { createHash } from "node:crypto";

type Arguments = Readonly<Record<string, unknown>>;

interface SampleTool {
  readonly definition: Readonly<Record<string, unknown>> & { readonly name: string };
  /** What the model reads; an error it can act on is thrown. */
  readonly run: (args: Arguments) => Readonly<Record<string, unknown>>;
}

const READING = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** Small tools that need no network, no key and no setting up, and that models are bad at without them. */
export const SAMPLE_TOOLS: readonly SampleTool[] = [
  {
    definition: {
      name: "time_in",
      title: "Time in a place",
      description: "The date and time in a time zone, now or at a given moment, and how far it is from UTC.",
      inputSchema: {
        type: "object",
        properties: {
          zone: { type: "string", description: "IANA name, such as Europe/Berlin or America/New_York" },
          at: { type: "string", description: "ISO 8601; now if left out" },
        },
        required: ["zone"],
        additionalProperties: false,
      },
      annotations: { ...READING, idempotentHint: false },
    },
    run({ zone, at }) {
      const moment = at === undefined ? new Date() : new Date(String(at));
      if (Number.isNaN(moment.getTime())) throw new RangeError(`${String(at)} is no ISO 8601 date`);
      const part = (options: Intl.DateTimeFormatOptions): string =>
        new Intl.DateTimeFormat("sv-SE", { timeZone: String(zone), ...options }).format(moment);
      const offset = new Intl.DateTimeFormat("en", { timeZone: String(zone), timeZoneName: "longOffset" })
        .formatToParts(moment)
        .find(({ type }) => type === "timeZoneName")?.value;
      return {
        zone: String(zone),
        local: part({ dateStyle: "short", timeStyle: "medium" }),
        weekday: new Intl.DateTimeFormat("en", { timeZone: String(zone), weekday: "long" }).format(moment),
        offset: offset === "GMT" ? "+00:00" : (offset ?? "").replace("GMT", ""),
        utc: moment.toISOString(),
      };
    },
  },
  {
    definition: {
      name: "measure_text",
      title: "Measure a text",
      description: "Counts characters, words, lines and bytes of a text exactly, and gives its SHA-256.",
      inputSchema: {
        type: "object",
        properties: { text: { type: "string" } },
        required: ["text"],
        additionalProperties: false,
      },
      annotations: READING,
    },
    run({ text }) {
      const whole = String(text);
      return {
        characters: [...new Intl.Segmenter().segment(whole)].length,
        words: whole.split(/\s+/).filter((word) => word !== "").length,
        lines: whole === "" ? 0 : whole.replace(/\n$/, "").split("\n").length,
        bytes: Buffer.byteLength(whole),
        sha256: createHash("sha256").update(whole).digest("hex"),
      };
    },
  },
  {
    definition: {
      name: "days_between",
      title: "Days between dates",
      description: "How many days lie between two dates, and how many of them are weekdays.",
      inputSchema: {
        type: "object",
        properties: {
          from: { type: "string", description: "YYYY-MM-DD" },
          to: { type: "string", description: "YYYY-MM-DD" },
        },
        required: ["from", "to"],
        additionalProperties: false,
      },
      annotations: READING,
    },
    run({ from, to }) {
      const [start, end] = [toDay(from), toDay(to)];
      const days = end - start;
      const [first, span] = days < 0 ? [end, -days] : [start, days];
      const rest = Array.from({ length: span % 7 }, (_, at) => first + at).filter(isWeekday).length;
      return { days, weekdays: Math.sign(days) * (Math.floor(span / 7) * 5 + rest) };
    },
  },
];

const DAY = 86_400_000;

/** Days since 1970. */
function toDay(given: unknown): number {
  const day = Date.parse(`${String(given)}T00:00:00Z`) / DAY;
  if (Number.isNaN(day)) throw new RangeError(`${String(given)} is no date of the form YYYY-MM-DD`);
  return day;
}

/** The first day of 1970 was a Thursday. */
function isWeekday(day: number): boolean {
  const weekday = (((day + 4) % 7) + 7) % 7;
  return weekday !== 0 && weekday !== 6;
}
