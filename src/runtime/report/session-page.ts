import { createHash } from "node:crypto";
import { markdownToHtml, textToHtml } from "../../system/markdown/to-html.ts";
import type { WholeSession } from "./session-summary.ts";
import type { TimelineEntry } from "./session-timeline.ts";

/** A session as one self-contained page that runs and loads nothing. */
export function toPage(session: WholeSession, timeline: readonly TimelineEntry[]): string {
  const { id, created, requests, cost, prompt } = session;
  const details = [
    `Session ${id}`,
    `begun ${created.slice(0, 16).replace("T", " ")} UTC`,
    `${session.events} events`,
    `${requests} ${requests === 1 ? "request" : "requests"}`,
    cost === null ? "cost unknown" : `$${cost.toFixed(4)}`,
  ];
  const title = textToHtml(toTitle(prompt));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
<header><h1>${title}</h1>
<p class="note">${textToHtml(details.join(" · "))}</p></header>
<main>
${timeline.map(toSection).join("\n")}
</main>
</html>
`;
}

const LONGEST_TITLE = 100;

/** The first line of what a person asked for. */
function toTitle(prompt: string): string {
  const line = prompt.trim().split("\n", 1)[0] ?? "";
  if (line === "") return "A session in which nothing was said";
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE).trimEnd()} …` : line;
}

function toSection({ seq, at, agent, kind, title, text }: TimelineEntry): string {
  const time = new Date(at).toISOString();
  const who = textToHtml(agent === null ? title : `${title} (agent ${agent})`);
  const place = `<a class="place" id="e${seq}" href="#e${seq}">${seq}</a> <time datetime="${time}">${time.slice(11, 19)}</time>`;
  switch (kind) {
    case "note":
      return `<p class="note">${place} ${textToHtml(text)}</p>`;
    case "user":
    case "model":
      return `<section class="${kind}"><h2>${who} <small>${place}</small></h2>\n${markdownToHtml(text)}</section>`;
    case "call":
    case "result": {
      const mark = kind === "call" ? "→ " : "";
      const body = textToHtml(kind === "call" ? indented(text) : text.trimEnd());
      return `<details><summary>${mark}${who} <small>${place}</small></summary><pre>${body}</pre></details>`;
    }
  }
}

/** Arguments as people read them. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const STYLE = `
:root{color-scheme:light dark;font:16px/1.6 system-ui,sans-serif;--line:light-dark(#dde2e3,#2a3337);--dim:light-dark(#546468,#9aaab0);--soft:light-dark(#f1f4f4,#171c1f);--accent:light-dark(#0f5c63,#6cc5cd)}
body{max-width:46rem;margin:0 auto;padding:2.5rem 1.25rem 5rem;background:light-dark(#fff,#101416);color:light-dark(#162124,#e6ecee)}
header{margin-bottom:2rem;padding-bottom:1rem;border-bottom:1px solid var(--line)}
h1{margin:0;font-size:1.5rem;line-height:1.3}
h2,summary{font-size:.95rem;font-weight:600}
h2{margin:0 0 .25rem}h3,h4,h5,h6{margin:1.2em 0 .4em;font-size:1.05rem}
p,ul,ol,table,blockquote{margin:.5em 0}
section{margin:1.75rem 0;overflow-wrap:anywhere}
section.user{padding:.75rem 1rem;border-left:3px solid var(--accent);border-radius:0 8px 8px 0;background:var(--soft)}
pre{margin:.6em 0;padding:.7rem .9rem;border:1px solid var(--line);border-radius:8px;background:var(--soft);font-size:.85rem;white-space:pre-wrap;overflow-wrap:anywhere}
code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.9em}
:not(pre)>code{padding:.1em .35em;border-radius:4px;background:var(--soft)}
table{border-collapse:collapse}th,td{padding:.35em .8em;border:1px solid var(--line);text-align:left}
blockquote{margin-left:0;padding-left:1rem;border-left:3px solid var(--line);color:var(--dim)}
details{margin:.5rem 0;padding:.4rem .9rem;border:1px solid var(--line);border-radius:8px}
summary{cursor:pointer}hr{border:0;border-top:1px solid var(--line)}
a{color:var(--accent)}.note,small,.place{color:var(--dim);font-size:.85rem;font-weight:400}.place{text-decoration:none}`;
