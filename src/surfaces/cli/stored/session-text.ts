import type { SessionSummary } from "../../../runtime/report/session-summary.ts";
import type { TimelineEntry } from "../../../runtime/report/session-timeline.ts";
import type { SessionEnd } from "../../../runtime/session/stored/session-end.ts";
import { escapeLines, escapeText, writeLines } from "../../../system/text/escape-text.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { cutText, wrapText } from "../terminal/text-width.ts";

const COLUMNS: readonly Column[] = [
  { heading: "ID" },
  { heading: "CHANGED" },
  { heading: "FIRST WORDS", shrinks: true },
  { heading: "EVENTS", align: "right" },
];

/** On a terminal as much of an id as tells sessions apart; elsewhere all of it. */
export function formatSessions(sessions: readonly SessionSummary[], columns: number | null): string {
  const rows = sessions.map(({ id, changed, prompt, events }) => [
    escapeText(columns === null ? id : shorten(id, sessions)),
    toMinute(changed),
    escapeText(prompt.trim().replace(/\s+/g, " ")),
    String(events),
  ]);
  return writeLines(formatTable(COLUMNS, rows, columns));
}

const SHORT = 8;

function shorten(id: string, all: readonly SessionSummary[]): string {
  const start = id.slice(0, SHORT);
  return all.filter((other) => other.id.startsWith(start)).length === 1 ? start : id;
}

function toMinute(date: string): string {
  return `${date.slice(0, 16).replace("T", " ")}Z`;
}

/** What was said in full, what was done on a line each. */
export function formatTimeline(timeline: readonly TimelineEntry[], columns: number | null): string {
  const width = (columns ?? 120) - 1;
  const digits = String(timeline.at(-1)?.seq ?? 0).length;
  return timeline.map((entry) => formatEntry(entry, width, digits)).join("");
}

function formatEntry({ seq, at, agent, kind, title, text }: TimelineEntry, width: number, digits: number): string {
  const time = `${String(seq).padStart(digits)}  ${new Date(at).toISOString().slice(11, 19)}  `;
  const head = escapeText(`${time}${agent === null ? "" : `[${agent}] `}`);
  if (kind === "user" || kind === "model") {
    const lines = escapeLines(text.trimEnd()).replaceAll("\n", `\n${" ".repeat(time.length)}`);
    return `${head}${escapeText(title)}: ${lines}\n`;
  }
  const mark = kind === "call" ? "→ " : "";
  const said = kind === "note" ? text : `${mark}${title} ${text}`;
  return `${cutText(`${head}${escapeText(said)}`, width)}\n`;
}

/** What the last line of a timeline leaves open; nothing where all work was done. */
export function formatEnd(end: SessionEnd, id: string, columns: number | null): string {
  if (end.kind === "done") return "";
  const said = end.kind === "open" ? "A process has this session open now." : formatCut(end, id);
  return `\n${wrapText(escapeText(said), columns ?? 120).join("\n")}\n`;
}

function formatCut(cut: Extract<SessionEnd, { kind: "cut" }>, id: string): string {
  const parts = [
    ["calls that may have taken effect", cut.ran],
    ["calls that did not start", cut.unstarted],
    ["calls that wait for an answer", cut.waiting],
    ["agents that were at work", cut.agents],
  ] as const;
  const left = parts.filter(([, names]) => names.length > 0).map(([what, names]) => `${what}: ${names.join(", ")}`);
  const what = left.length === 0 ? "" : ` (${left.join("; ")})`;
  return `The process ended before its work was done${what}. "toolcrib run --resume ${id}" goes on with it.`;
}
