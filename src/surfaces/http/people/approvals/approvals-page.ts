import type { ToldQuestion } from "../../../../runtime/approvals/told-question.ts";
import { type Html, html } from "../pages/html.ts";
import type { PeoplePage } from "../pages/page.ts";

interface ApprovalsView {
  readonly questions: readonly ToldQuestion[];
  /** Whether it is about one of them alone. */
  readonly isOne: boolean;
  /** What forms carry. */
  readonly token: string;
  /** What was just done; null for nothing. */
  readonly done: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Calls that wait for somebody, with all that decides about an answer. Nothing happens without a click here. */
export function approvalsPage({ questions, isOne, token, done, now }: ApprovalsView): PeoplePage {
  const body = html`
${done === null ? null : html`<p class="good" role="status">${done}</p>`}
${questions.length === 0 ? html`<p>Nothing waits for you.</p>` : null}
${questions.map((question) => questionPart(question, token, now))}
${isOne ? html`<p><a href="/approvals">Everything that waits for me</a></p>` : null}
<p><a href="/me">My page</a></p>`;
  return { title: isOne ? "A call waits for you" : "Calls that wait for you", body, isWide: true };
}

function questionPart(question: ToldQuestion, token: string, now: number): Html {
  const { id, tool, server, client, callerName, caller, reason, argumentsText, parts, fourEyes, since, until } =
    question;
  const person = caller === null ? null : `${callerName} (${caller.subject} of ${caller.issuer})`;
  const facts = [
    ...(person === null ? [] : [["Caller", person]]),
    ["Client", client],
    ...(server === null ? [] : [["Server", server]]),
    ["Why it asks", reason],
    ...(fourEyes ? [["Who may answer", "somebody other than the caller"]] : []),
    ["Asked", describeTimes(since, until, now)],
  ] as const;
  return html`
<section aria-labelledby="q-${id}"><h2 id="q-${id}">${tool}</h2>
<dl>${facts.map(([name, value]) => html`<dt>${name ?? ""}</dt><dd>${value ?? ""}</dd>`)}</dl>
${parts.length === 0 ? null : html`<p>It would do:</p><ol>${parts.map((part) => html`<li><code>${part}</code></li>`)}</ol>`}
<p>Arguments:</p>
<pre tabindex="0">${argumentsText}</pre>
<form method="post" action="/approvals">
<input type="hidden" name="token" value="${token}"><input type="hidden" name="id" value="${id}">
<p><label>Reason, which the model reads: <input name="reason" maxlength="2000"></label></p>
<div class="actions"><button class="main" name="answer" value="allow" aria-label="Allow once: ${tool}">Allow once</button>
<button name="answer" value="deny" aria-label="Deny: ${tool}">Deny</button></div>
</form></section>`;
}

function describeTimes(since: number, until: number | null, now: number): string {
  const asked = `${new Date(since).toISOString().slice(0, 16).replace("T", " ")}Z`;
  if (until === null) return asked;
  const minutes = Math.max(0, Math.ceil((until - now) / 60_000));
  return `${asked}; it is a no in ${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
}
