import { type Because, describeBecause } from "../../../../core/people/map-person.ts";
import { type Caller, describePerson } from "../../../../core/people/person.ts";
import type { UsedBudget } from "../../../../runtime/limits/read-usage.ts";
import type { Authorization, BrowserSession } from "../../../../runtime/people/contract.ts";
import { slackPart } from "../approvals/slack-link.ts";
import { type Html, html } from "../pages/html.ts";
import type { PeoplePage } from "../pages/page.ts";
import { limitsPart } from "./limits-part.ts";

/** Everything of one person's page. */
export interface PersonView {
  readonly caller: Caller;
  readonly profiles: ReadonlyMap<string, Because>;
  readonly roles: ReadonlyMap<string, Because>;
  /** Null, and why, if no tools can be given at all. */
  readonly tools: readonly PersonTool[] | null;
  /** How many tools nobody gets here. */
  readonly others: number;
  readonly problem: string | null;
  readonly clients: readonly Authorization[];
  readonly browsers: readonly BrowserSession[];
  /** Servers at which people have logins or keys of their own. */
  readonly logins: readonly PersonLogin[];
  /** The browser that asks. */
  readonly browser: string;
  readonly calls: readonly PersonCall[];
  readonly limits: readonly UsedBudget[];
  /** Null: nobody answers in Slack here. */
  readonly slack: Parameters<typeof slackPart>[0] | null;
  /** Where clients connect. */
  readonly endpoint: string;
  /** What forms carry. */
  readonly token: string;
  /** What was just done; null for nothing. */
  readonly done: string | null;
}

export interface PersonTool {
  readonly name: string;
  readonly description: string;
  readonly isHidden: boolean;
  /** Why it is not there, each with the line that says so. */
  readonly reasons: readonly string[];
}

/** One server at which a person has a login or key of their own, or could have. */
export interface PersonLogin {
  readonly server: string;
  readonly kind: "person" | "key";
  /** In a few words. */
  readonly state: string;
  readonly isMade: boolean;
  /** Whether it is configured, and open to the person; else what is kept can only be ended. */
  readonly isHere: boolean;
}

export interface PersonCall {
  readonly tool: string;
  readonly at: string;
  readonly client: string;
  readonly outcome: string;
}

/** A person's own page: their tools, clients, browsers and calls. */
export function personPage(view: PersonView): PeoplePage {
  const { caller, done, token } = view;
  const body = html`
${done === null ? null : html`<p class="good" role="status">${done}</p>`}
<p>${describePerson(caller)}${caller.email === null ? null : html` · ${caller.email}`}</p>
${toolsPart(view)}
${loginsPart(view)}
${clientsPart(view)}
${limitsPart(view.limits)}
${callsPart(view)}
${view.slack === null ? null : slackPart(view.slack, token)}
${browsersPart(view)}
<form method="post" action="/logout"><input type="hidden" name="token" value="${token}"><button>Log out</button></form>`;
  return { title: caller.name ?? caller.subject, body, isWide: true };
}

function toolsPart({ tools, others, problem, profiles, roles }: PersonView): Html {
  const because = [
    ...[...profiles].map(([name, why]) => describeBecause(`profile ${JSON.stringify(name)}`, why)),
    ...[...roles].map(([role, why]) => describeBecause(`role ${role}`, why)),
  ];
  const given =
    because.length === 0 ? null : html`<ul class="dim">${because.map((each) => html`<li>${each}</li>`)}</ul>`;
  const inspector =
    roles.size === 0 || (roles.size === 1 && roles.has("member"))
      ? null
      : html`<p><a href="/">Open the inspector</a></p>`;
  const waiting = roles.has("approver") ? html`<p><a href="/approvals">Calls that wait for me</a></p>` : null;
  const shown = tools?.filter(({ isHidden }) => !isHidden) ?? [];
  const hidden = tools?.filter(({ isHidden }) => isHidden) ?? [];
  return html`
<section aria-labelledby="tools"><h2 id="tools">My tools: ${shown.length}</h2>
${given}${inspector}${waiting}
${problem === null ? null : html`<p class="bad">${problem}</p>`}
${shown.length === 0 ? null : html`<details><summary>Show them</summary><ul class="rows">${shown.map(shownTool)}</ul></details>`}
${hidden.length === 0 ? null : html`<details><summary>${hidden.length} that I do not get, and why</summary><ul class="rows">${hidden.map(hiddenTool)}</ul></details>`}
${others === 0 ? null : html`<p class="dim">${others} more are given to nobody here.</p>`}
</section>`;
}

function shownTool({ name, description }: PersonTool): Html {
  return html`<li><strong>${name}</strong> <span class="dim">${cut(description)}</span></li>`;
}

function hiddenTool({ name, reasons }: PersonTool): Html {
  return html`<li><strong>${name}</strong><ul class="dim">${reasons.map((reason) => html`<li>${reason}</li>`)}</ul></li>`;
}

function loginsPart({ logins, token }: PersonView): Html | null {
  if (logins.length === 0) return null;
  const rows = logins.map(({ server, kind, state, isMade, isHere }) => {
    const name = kind === "key" ? "key" : "login";
    const what = isMade ? "Change" : kind === "key" ? "Enter a key" : "Log in";
    const address = `/connect?${new URLSearchParams({ server })}`;
    const open = isHere ? html`<a class="button" href="${address}" aria-label="${what}: ${server}">${what}</a>` : null;
    const end = isMade
      ? html`<form method="post" action="/connect"><input type="hidden" name="token" value="${token}"><input type="hidden" name="server" value="${server}"><input type="hidden" name="do" value="forget"><button aria-label="Disconnect: ${server}">Disconnect</button></form>`
      : null;
    return html`<li><strong>${server}</strong> <span class="dim">own ${name} · ${state}</span><div class="actions">${open}${end}</div></li>`;
  });
  const made = logins.filter(({ isMade }) => isMade).length;
  return html`
<section aria-labelledby="logins"><h2 id="logins">My logins at servers: ${made} of ${logins.length}</h2>
<p class="dim">What your clients do at these servers is done with your own login or key. The gateway keeps it; clients never get it.</p>
<ul class="rows">${rows}</ul></section>`;
}

function clientsPart({ clients, endpoint, token }: PersonView): Html {
  const rows = clients.map(
    ({ id, client, clientName, seen }) => html`
<li><strong>${clientName}</strong> <span class="dim">${client} · used ${toDay(seen)}</span>
<form method="post" action="/me"><input type="hidden" name="token" value="${token}"><input type="hidden" name="client" value="${id}"><button aria-label="Take back: ${clientName}">Take back</button></form></li>`,
  );
  return html`
<section aria-labelledby="clients"><h2 id="clients">My clients: ${clients.length}</h2>
${clients.length === 0 ? html`<p>No client uses your tools yet.</p>` : html`<ul class="rows">${rows}</ul>`}
<details><summary>Add a client</summary>
<p>Give a client this address; it opens a browser where you agree.</p>
<pre>${endpoint}</pre>
<pre>claude mcp add --transport http company ${endpoint}</pre>
<pre>codex mcp add company --url ${endpoint}</pre>
</details></section>`;
}

function callsPart({ calls }: PersonView): Html {
  const rows = calls.map(
    ({ tool, at, client, outcome }) =>
      html`<tr><td>${tool}</td><td>${outcome}</td><td>${client}</td><td>${at}</td></tr>`,
  );
  return html`
<section aria-labelledby="calls"><h2 id="calls">My last calls</h2>
${
  calls.length === 0
    ? html`<p>None on this machine yet.</p>`
    : html`<details><summary>${calls.length} on this machine</summary><div class="scrolls" tabindex="0" role="region" aria-labelledby="calls"><table><thead><tr><th>Tool</th><th>Outcome</th><th>Client</th><th>When</th></tr></thead><tbody>${rows}</tbody></table></div></details>`
}</section>`;
}

function browsersPart({ browsers, browser, token }: PersonView): Html | null {
  const others = browsers.filter(({ id }) => id !== browser);
  if (others.length === 0) return null;
  const rows = others.map(
    ({ id, since }) => html`
<li>Logged in ${toDay(since)}
<form method="post" action="/me"><input type="hidden" name="token" value="${token}"><input type="hidden" name="browser" value="${id}"><button>Log it out</button></form></li>`,
  );
  return html`<section aria-labelledby="browsers"><h2 id="browsers">Other browsers: ${others.length}</h2><ul class="rows">${rows}</ul></section>`;
}

/** Of a long description the beginning says what the tool is. */
function cut(text: string): string {
  const line = text.split("\n")[0] ?? "";
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}

function toDay(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")}Z`;
}
