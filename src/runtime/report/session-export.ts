import type { StoredEvent } from "../../core/events/envelope.ts";
import { toJson } from "../../system/text/escape-text.ts";
import { toMarkdown } from "./session-markdown.ts";
import { toPage } from "./session-page.ts";
import { summarizeEvents } from "./session-summary.ts";
import { toTimeline } from "./session-timeline.ts";

export const EXPORT_FORMATS = ["jsonl", "md", "html"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A session as one text for others to read: journals are verbatim, so secrets are masked here (S10). */
export function exportSession(
  format: ExportFormat,
  id: string,
  events: readonly StoredEvent[],
  mask: (value: unknown) => unknown,
): string {
  const masked = events.map((event) => ({ ...event, data: mask(event.data) }));
  if (format === "jsonl") return masked.map((event) => toJson(event, false)).join("");
  const [first, last] = [events[0], events.at(-1)];
  const summary = summarizeEvents({ id, created: first?.at ?? 0, changed: last?.at ?? 0 }, masked);
  return (format === "md" ? toMarkdown : toPage)(summary, toTimeline(masked));
}
