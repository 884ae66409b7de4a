import type { Caller } from "../../../../core/people/person.ts";
import type { RedirectAddress } from "../../../../core/people/redirect-address.ts";
import { type Html, html } from "../pages/html.ts";
import type { PeoplePage } from "../pages/page.ts";
import type { DescribedClient } from "./client-document.ts";

export interface ConsentQuestion {
  readonly client: DescribedClient;
  /** Whether the id of the client is the address of its document, so that the host says who it is. */
  readonly isDocument: boolean;
  readonly redirect: RedirectAddress;
  readonly scopes: readonly string[];
}

const SCOPE_WORDS: ReadonlyMap<string, string> = new Map([
  ["tools:read", "see which tools you have"],
  ["tools:call", "use them in your name, within the rules that hold for you"],
]);

/** What a person agrees to. Hosts come first: a name is whatever the client says that it is. */
export function consentPage(
  { client, isDocument, redirect, scopes }: ConsentQuestion,
  caller: Caller,
  ticket: string,
): PeoplePage {
  const host = isDocument ? new URL(client.id).hostname : whereTo(redirect);
  const body = html`
<dl>
<dt>Who asks</dt>
<dd><strong class="host">${host}</strong>, which calls itself “${client.name}”</dd>
<dt>Where your answer goes</dt>
<dd><strong class="host">${redirect.shown}</strong></dd>
<dt>What it may do</dt>
<dd><ul>${scopes.map((scope) => html`<li>${SCOPE_WORDS.get(scope) ?? scope}</li>`)}</ul></dd>
</dl>
${warning(redirect)}
<form method="post" action="/authorize">
<input type="hidden" name="ticket" value="${ticket}">
<button class="main" name="answer" value="allow">Allow</button>
<button name="answer" value="deny">Do not allow</button>
</form>
<p class="dim">You are logged in as ${describeCaller(caller)}. You can take this back at any time.</p>`;
  return { title: `Let ${host} use your tools?`, body, formsLeadTo: [redirect.source] };
}

export function failurePage(text: string): PeoplePage {
  return {
    title: "This does not work",
    body: html`<p class="bad">${text}</p><p>You can close this page, and begin again from the program that opened it.</p>`,
  };
}

function warning({ kind }: RedirectAddress): Html | null {
  if (kind === "web") return null;
  const where = kind === "loopback" ? "a program on the computer that this browser runs on" : "an app on this computer";
  return html`<p class="warn">The answer goes to ${where}. Allow it only if you have just begun to log in from there.</p>`;
}

function whereTo({ kind, shown }: RedirectAddress): string {
  return kind === "web" ? shown : kind === "loopback" ? "a program on this computer" : `an app (${shown})`;
}

function describeCaller({ name, email, subject }: Caller): string {
  const [first = subject, second] = [name, email].filter((each) => each !== null);
  return second === undefined ? first : `${first} (${second})`;
}
