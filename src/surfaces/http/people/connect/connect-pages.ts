import type { KeptCredential, UpstreamServer } from "../../../../runtime/credentials/contract.ts";
import { revealText } from "../../../../system/text/reveal-text.ts";
import { type Html, html } from "../pages/html.ts";
import type { PeoplePage } from "../pages/page.ts";
import { CONNECT_FORM, OWN_PAGE, placeOf } from "./connect-room.ts";

export interface ConnectView {
  readonly server: UpstreamServer;
  /** What is kept for the person; null for nothing. */
  readonly kept: KeptCredential | null;
  /** Where its form is sent, which also is the page's own path. */
  readonly action: string;
  /** What forms carry. */
  readonly token: string;
  /** What went wrong with what was entered. */
  readonly problem?: string;
}

/** The page of one server, on which a person logs in or enters their key. Looking at it does nothing. */
export function serverPage(view: ConnectView): PeoplePage {
  const { server, kept, problem } = view;
  const name = revealText(server.name);
  const isKey = server.credentials?.kind === "key";
  const state = kept === null ? null : keptLine(kept);
  const body = html`
${problem === undefined ? null : html`<p class="bad" role="alert">${problem}</p>`}
${addressLine(server)}${state}
<p>${
    isKey
      ? "Your clients use it with a key of your own. Only requests of yours carry it, and nobody sees it again."
      : "Your clients use it with your own login there: what they do is done in your name. The gateway keeps the login, and clients never get it."
  }</p>
${isKey ? keyForm(view) : loginForm(view)}
${kept === null ? null : forgetForm(view)}
<p class="dim">If nobody and nothing of yours has asked for this, close the page. <a href="${OWN_PAGE}">All my logins</a></p>`;
  return { title: kept === null ? `Connect ${name}` : `${name} is connected`, body };
}

/** Browsers hold the redirect that answers a form to be part of it, so that a page leads elsewhere instead. */
export function leavingPage(server: UpstreamServer, address: URL): PeoplePage {
  const body = html`<p>You go on at <strong class="host">${address.host}</strong>, to log in for ${revealText(server.name)}.</p>
<p><a class="button main" href="${address.href}">Go on</a></p>`;
  return { title: "One moment", body };
}

/** After a login: what asked for it goes on by itself. */
export function connectedPage(name: string): PeoplePage {
  const body = html`<p class="good" role="status">You are connected. What you were doing can go on; close this page, or see <a href="${OWN_PAGE}">all your logins</a>.</p>`;
  return { title: `${revealText(name)} is connected`, body };
}

function addressLine(server: UpstreamServer): Html | null {
  const address = placeOf(server);
  return address === null ? null : html`<p class="dim">${address.host}</p>`;
}

function keptLine({ issuer, since, trouble, kind }: KeptCredential): Html {
  const day = new Date(since).toISOString().slice(0, 10);
  if (trouble !== null) return html`<p class="warn">What was kept is no longer used: ${trouble}.</p>`;
  const where = issuer === null || !URL.canParse(issuer) ? null : html` at ${new URL(issuer).host}`;
  return html`<p class="good">${kind === "key" ? "Your key is kept" : html`You have logged in${where}`}, since ${day}.</p>`;
}

function loginForm({ action, token, kept, server }: ConnectView): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="token" value="${token}"><input type="hidden" name="server" value="${server.name}"><button class="main">${kept === null ? "Log in" : "Log in again"}</button></form>`;
}

function keyForm({ action, token, server, kept }: ConnectView): Html {
  const hint = server.credentials?.kind === "key" ? server.credentials.hint : null;
  return html`${hint === null ? null : hintLine(hint)}
<form method="post" action="${action}"><input type="hidden" name="token" value="${token}"><input type="hidden" name="server" value="${server.name}">
<label for="key">${kept === null ? "Your key" : "Another key"}</label><input id="key" name="key" type="password" autocomplete="off" spellcheck="false" maxlength="8192" required>
<button class="main">Keep it</button></form>`;
}

/** An address in the configuration is one that its owner trusts. */
function hintLine(hint: string): Html {
  const isAddress = /^https:\/\/\S+$/.test(hint) && URL.canParse(hint);
  return isAddress
    ? html`<p>Make one at <a href="${hint}" rel="noreferrer">${hint}</a>.</p>`
    : html`<p>${revealText(hint)}</p>`;
}

function forgetForm({ token, server }: ConnectView): Html {
  return html`<form method="post" action="${CONNECT_FORM}"><input type="hidden" name="token" value="${token}"><input type="hidden" name="server" value="${server.name}"><input type="hidden" name="do" value="forget"><button>Disconnect</button></form>`;
}
