import type { IncomingMessage, ServerResponse } from "node:http";
import { describePerson } from "../../../../core/people/person.ts";
import { chooseRedirect } from "../../../../core/people/redirect-address.ts";
import type { Consents } from "../../../../runtime/people/consents.ts";
import type { BrowserSession, BrowserSessions } from "../../../../runtime/people/contract.ts";
import { HttpRefusal } from "../../api/answers.ts";
import { createCookies } from "../pages/cookies.ts";
import { sendElsewhere, sendPage } from "../pages/page.ts";
import { readForm, readQuery } from "../pages/read-form.ts";
import { type AuthorizationRequest, readAuthorizationRequest } from "./authorization-request.ts";
import { consentPage } from "./consent-page.ts";
import { OAuthFailure } from "./oauth-failure.ts";
import { type AskedConsent, createWayBack, type WayBackOptions } from "./way-back.ts";

export interface AuthorizeOptions extends WayBackOptions {
  /** What tokens are for. */
  readonly resource: string;
  readonly consents: Consents;
  readonly browsers: Pick<BrowserSessions, "find">;
  /** Where somebody logs in who is to come back to this path of ours. */
  readonly loginAddress: (back: string) => string;
}

/** Characters of a request: it has to fit into the address of the login page too. */
const LONGEST = 6_000;
const FORM_BYTES = 4_096;

type Exchange = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * The way of a browser from a client to its consent and back. Until client and redirect address are known to belong
 * together nobody is sent anywhere; from then on every answer goes there and names us as its issuer.
 */
export function createAuthorize(options: AuthorizeOptions): { readonly ask: Exchange; readonly answer: Exchange } {
  const { publicUrl, resource, consents, clients, browsers, loginAddress } = options;
  const { sendBack, sendCode } = createWayBack(options);
  const cookies = createCookies(publicUrl);
  const whoIsThere = async (request: IncomingMessage): Promise<BrowserSession | null> => {
    const cookie = cookies.read(request, "session");
    return cookie === null ? null : browsers.find(cookie);
  };
  const askPerson = async (
    response: ServerResponse,
    asked: AskedConsent,
    wanted: AuthorizationRequest,
    session: BrowserSession,
  ): Promise<void> => {
    const { client, redirect } = asked;
    // Any program could be at an address of the person's own computer, so that people say each time that they mean it.
    const isKnown = redirect.kind === "web" && (await consents.has(session.caller, toShown(asked), asked.scopes));
    if (isKnown && !wanted.isAsked) return sendCode(response, asked, session);
    if (wanted.isSilent) throw new OAuthFailure("consent_required", "the person has to be asked");
    const ticket = await consents.ask(session.id, asked);
    const isDocument = clients.isDocument(client.id);
    sendPage(response, 200, consentPage({ ...asked, isDocument }, session.caller, ticket));
  };

  return {
    async ask(request, response) {
      const { url = "" } = request;
      if (url.length > LONGEST) throw new OAuthFailure("invalid_request", "the request is too long", 414);
      const given = readQuery(request);
      const id = required(given, "client_id");
      const wantedRedirect = required(given, "redirect_uri");
      const refusal = await clients.refusal(id);
      if (refusal !== null) throw unusable(id, refusal);
      const session = await whoIsThere(request);
      if (session === null) {
        if ((given.get("prompt") ?? "").split(/\s+/).includes("none"))
          throw new OAuthFailure("login_required", "nobody is logged in, and the client wants nobody to be asked");
        return sendElsewhere(response, loginAddress(url));
      }
      const client = await clients.find(id);
      if (typeof client === "string") throw unusable(id, client);
      const redirect = chooseRedirect(wantedRedirect, client.redirects);
      if (redirect === null)
        throw new OAuthFailure("invalid_redirect_uri", `${clip(wantedRedirect)} is no redirect address of ${clip(id)}`);
      const state = given.get("state") ?? null;
      try {
        const wanted = readAuthorizationRequest(given, resource);
        const { scopes, challenge } = wanted;
        await askPerson(response, { client, redirect, scopes, challenge, state }, wanted, session);
      } catch (error) {
        if (!(error instanceof OAuthFailure)) throw error;
        sendBack(response, { redirect, state }, { error: error.code, error_description: error.message });
      }
    },

    async answer(request, response) {
      const { origin, "sec-fetch-site": site = "same-origin" } = request.headers;
      if (origin !== publicUrl || site !== "same-origin")
        throw new HttpRefusal(403, "http.foreign-origin", "this form is answered from its own page alone");
      const fields = await readForm(request, response, FORM_BYTES);
      const session = await whoIsThere(request);
      const asked = session && ((await consents.take(fields.get("ticket") ?? "", session.id)) as AskedConsent | null); // Ours.
      if (session === null || asked === null)
        throw new OAuthFailure(
          "invalid_request",
          "This question was answered before, is too old, or was somebody else's.",
          403,
        );
      const refusal = await clients.refusal(asked.client.id);
      if (refusal !== null) throw unusable(asked.client.id, refusal);
      if (fields.get("answer") !== "allow") {
        const error_description = `${describePerson(session.caller)} did not allow it`;
        return sendBack(response, asked, { error: "access_denied", error_description });
      }
      if (asked.redirect.kind === "web") await consents.remember(session.caller, toShown(asked), asked.scopes);
      await sendCode(response, asked, session);
    },
  };
}

function toShown({ client, redirect }: AskedConsent) {
  return { ...client, host: redirect.shown };
}

function required(given: ReadonlyMap<string, string>, name: string): string {
  const value = given.get(name) ?? "";
  if (value === "") throw new OAuthFailure("invalid_request", `The program that opened this page left out ${name}.`);
  return value;
}

function unusable(id: string, why: string): OAuthFailure {
  return new OAuthFailure("invalid_client", `${clip(id)} cannot be used here: ${why}.`);
}

/** Given by anybody, so it is quoted and has an end. */
function clip(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
