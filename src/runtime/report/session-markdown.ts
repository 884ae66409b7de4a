import { escapeLines, escapeText } from "../../system/text/escape-text.ts";
import type { WholeSession } from "./session-summary.ts";
import type { TimelineEntry } from "./session-timeline.ts";

/** A session as a document: messages as text, calls and results in fences. */
export function toMarkdown({ id, created, requests }: WholeSession, timeline: readonly TimelineEntry[]): string {
  const head = `# Session ${escapeText(id)}\n\nBegun ${created}, ${requests} ${requests === 1 ? "request" : "requests"}.\n`;
  return [head, ...timeline.map(toSection)].join("\n");
}

function toSection({ agent, kind, title, text }: TimelineEntry): string {
  const who = escapeText(agent === null ? title : `${title} (agent ${agent})`);
  const body = escapeLines(text.trimEnd());
  switch (kind) {
    case "user":
      return `## ${who}\n\n${body.replace(/^/gm, "> ")}\n`;
    case "model":
      return `## ${who}\n\n${body}\n`;
    case "call":
      return `### → ${who}\n\n${fence(body, "json")}`;
    case "result":
      return `### ${who}\n\n${fence(body, "")}`;
    case "note":
      return `*${body}*\n`;
  }
}

/** Longer than any run of backticks in the text, which could otherwise end it. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${language}\n${text}\n${ticks}\n`;
}
