import { escapeLines, escapeText } from "../../system/text/escape-text.ts";
import type { WholeSession } from "./session-summary.ts";
import type { TimelineEntry } from "./session-timeline.ts";

/** A session as one self-contained page that runs nothing. */
export function toPage(session: WholeSession, timeline: readonly TimelineEntry[]): string {
  const { id, created, requests, cost } = session;
  const details = [
    `begun ${created}`,
    `${session.events} events`,
    `${requests} ${requests === 1 ? "request" : "requests"}`,
    cost === null ? "cost unknown" : `$${cost.toFixed(4)}`,
  ];
  const title = toHtml(`Session ${id}`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
<h1>${title}</h1>
<p class="note">${toHtml(details.join(", "))}</p>
${timeline.map(toSection).join("\n")}
</html>
`;
}

function toSection({ seq, at, agent, kind, title, text }: TimelineEntry): string {
  const time = new Date(at).toISOString();
  const who = toHtml(agent === null ? title : `${title} (agent ${agent})`);
  const place = `<a id="e${seq}" href="#e${seq}">${seq}</a> <time datetime="${time}">${time.slice(11, 19)}</time>`;
  if (kind === "note") return `<p class="note">${place} ${toHtml(text)}</p>`;
  const body = `<pre>${toHtml(text.trimEnd())}</pre>`;
  if (kind === "user" || kind === "model") return `<section class="${kind}"><h2>${place} ${who}</h2>${body}</section>`;
  const mark = kind === "call" ? "→ " : "";
  return `<details class="${kind}"><summary>${place} ${mark}${who}</summary>${body}</details>`;
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

/** Text of models and servers stays text, and invisible characters are written out. */
function toHtml(text: string): string {
  const lines = text.includes("\n") ? escapeLines(text) : escapeText(text);
  return lines.replace(/[&<>"']/g, (sign) => SIGNS.get(sign) ?? "");
}

const STYLE = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:52rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.3rem}h2,summary{font-size:.95rem;font-weight:600}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0 1rem}
section.user{border-left:3px solid #4a7bd0;padding-left:.8rem}
details{margin:.3rem 0}details pre{background:#8882;padding:.5rem;border-radius:4px}
.note,a,time{color:#777;font-weight:400;font-size:.85rem;text-decoration:none}`;
