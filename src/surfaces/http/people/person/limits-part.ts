import { describeAmount, describeLimit } from "../../../../core/limits/describe-limit.ts";
import type { UsedBudget } from "../../../../runtime/limits/read-usage.ts";
import { revealText } from "../../../../system/text/reveal-text.ts";
import { type Html, html } from "../pages/html.ts";

/** What a person has used of each limit about them, and what is left. */
export function limitsPart(limits: readonly UsedBudget[]): Html | null {
  if (limits.length === 0) return null;
  return html`
<section aria-labelledby="limits"><h2 id="limits">My limits: ${limits.length}</h2>
<div class="scrolls" tabindex="0" role="region" aria-labelledby="limits"><table><thead><tr><th>Limit</th><th>Used</th><th>Left</th><th>Begins again</th></tr></thead><tbody>${limits.map(rowOf)}</tbody></table></div>
</section>`;
}

function rowOf({ limit, of, used, until }: UsedBudget): Html {
  const { measure, most, isSoft } = limit;
  const name = `${describeLimit(limit)}${of.length === 0 ? "" : `: ${of.map(([, value]) => value).join(", ")}`}`;
  const left = describeAmount(measure, Math.max(0, most - used));
  return html`<tr><td>${revealText(name)}</td><td>${describeAmount(measure, used)}</td><td>${left}${isSoft ? ", then only told" : ""}</td><td>${until === null ? "when a call ends" : toMinute(until)}</td></tr>`;
}

function toMinute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")}Z`;
}
