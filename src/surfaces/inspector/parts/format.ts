const COUNT = new Intl.NumberFormat("en");
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** "3 tools", "1 tool". */
export function formatNumber(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

export function formatShare(part: number, whole: number): string {
  const percent = whole > 0 ? (part / whole) * 100 : 0;
  if (percent === 0) return "0 %";
  return percent < 0.1 ? "< 0.1 %" : `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1_000)} s`;
}

/** The time of day, with the date when it was another one. */
export function formatTime(time: number): string {
  const isToday = new Date(time).toDateString() === new Date().toDateString();
  return isToday ? CLOCK.format(time) : `${DAY.format(time)} ${CLOCK.format(time)}`;
}

/** JSON as people read it. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? "null";
}

/** Which versions of MCP somebody speaks; both are current. */
export function wordsOfEra(era: "legacy" | "modern" | null): string {
  if (era === null) return "not MCP";
  return era === "modern" ? "MCP since 2026-07" : "MCP until 2025-11";
}

const PREVIEWED = 200;

/** The beginning of a text on one line, where all of it is one click away: line breaks and indents are spaces. */
export function toPreview(text: string): string {
  return text
    .slice(0, PREVIEWED)
    .replace(/[ \t\r\n]+/g, " ")
    .trim();
}
