import type { BrowserSession } from "../../../../runtime/people/contract.ts";
import { html } from "../pages/html.ts";
import type { PeoplePage } from "../pages/page.ts";

/** The path of the script for passkeys. */
export const SCRIPT_PATH = "/login/passkey.js";

/** What a page with a passkey asks an authenticator for. */
export interface PasskeyQuestion {
  readonly state: string;
  readonly challenge: string;
  /** Whom passkeys belong to: the gateway's host. */
  readonly host: string;
}

export function loggedInPage({ caller }: BrowserSession, token: string): PeoplePage {
  return {
    title: "You are logged in",
    body: html`<dl><dt>Name</dt><dd>${caller.name ?? caller.subject}</dd><dt>Known by</dt><dd>${caller.issuer}</dd></dl>
<p>You can close this page.</p>
${logoutForm(token)}`,
  };
}

export function logoutPage(token: string): PeoplePage {
  return {
    title: "Log out here?",
    body: html`<p>Clients that you have given access keep it.</p>
${logoutForm(token)}`,
  };
}

export function loggedOutPage(provider: { readonly name: string; readonly address: string } | null): PeoplePage {
  const elsewhere =
    provider === null
      ? null
      : html`<p>You may still be logged in at ${provider.name}, so that the next login here needs no password.</p>
<p><a href="${provider.address}">Log out at ${provider.name} too</a></p>`;
  return {
    title: "You are logged out",
    body: html`<p>This browser is no longer logged in here. Clients that you have given access keep it.</p>
${elsewhere}<p><a href="/login">Log in again</a></p>`,
  };
}

/** Says what happened and what can be done, and nothing that came from outside but names. */
export function problemPage(title: string, text: string, again: string | null): PeoplePage {
  const link = again === null ? null : html`<p><a class="button main" href="${again}">Try again</a></p>`;
  return { title, body: html`<p>${text}</p>${link}` };
}

export function passkeyPage({ state, challenge, host }: PasskeyQuestion): PeoplePage {
  return {
    title: "Log in",
    script: SCRIPT_PATH,
    body: html`<p>Use the passkey that you made when you were invited. If it is lost, an admin can invite you again.</p>
<p class="bad" role="alert"></p>
<div class="actions" data-mode="known" data-state="${state}" data-challenge="${challenge}" data-host="${host}">
<button class="main" type="button" disabled>Log in with a passkey</button></div>
<noscript><p class="warn">A passkey needs JavaScript.</p></noscript>`,
  };
}

export function invitationPage({ state, challenge, host }: PasskeyQuestion): PeoplePage {
  return {
    title: "You are invited",
    script: SCRIPT_PATH,
    body: html`<div data-known hidden><p>This invitation is for <strong data-name></strong>.</p>
<p>Make a passkey for ${host}: your device keeps it, and from then on you log in with your finger, face or PIN.</p></div>
<p class="bad" role="alert"></p>
<div class="actions" data-mode="new" data-state="${state}" data-challenge="${challenge}" data-host="${host}">
<button class="main" type="button" disabled>Make a passkey</button></div>
<noscript><p class="warn">A passkey needs JavaScript.</p></noscript>`,
  };
}

function logoutForm(token: string) {
  return html`<form method="post" action="/logout"><input type="hidden" name="token" value="${token}"><button>Log out</button></form>`;
}
