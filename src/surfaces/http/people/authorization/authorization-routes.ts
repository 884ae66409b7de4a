import type { IncomingMessage, ServerResponse } from "node:http";
import type { AuthConfig } from "../../../../config/shape/people-shape.ts";
import { createConsents } from "../../../../runtime/people/consents.ts";
import type { Authorizations, BrowserSessions, PeopleNote, PeoplePlace } from "../../../../runtime/people/contract.ts";
import { createRegisteredClients } from "../../../../runtime/people/registered-clients.ts";
import { HttpRefusal, sendJson } from "../../api/answers.ts";
import { readJsonBody } from "../../api/read-json.ts";
import { toCallerNetwork } from "../../door/caller-address.ts";
import type { CallerPlace, PeopleRoute } from "../../door/people-port.ts";
import { createRateLimit } from "../../door/rate-limit.ts";
import { ANY_ORIGIN, openJson } from "../open-json.ts";
import { sendPage } from "../pages/page.ts";
import { readForm } from "../pages/read-form.ts";
import { authorizationMetadata, PATHS } from "./authorization-metadata.ts";
import { createAuthorize } from "./authorize.ts";
import { createClientDocuments, type DocumentOptions } from "./client-documents.ts";
import { failurePage } from "./consent-page.ts";
import { createKnownClients } from "./known-clients.ts";
import { OAuthFailure, OURS, sendFailure, toOAuthFailure } from "./oauth-failure.ts";
import { answerRegistration } from "./registration.ts";
import { answerRevoke, answerToken } from "./token-endpoint.ts";

export interface AuthorizationServerOptions {
  /** An origin: our name as an issuer, and the beginning of all our addresses. */
  readonly publicUrl: string;
  /** What tokens are for. */
  readonly resource: string;
  readonly place: PeoplePlace;
  readonly auth: () => Pick<AuthConfig, "clients" | "registration">;
  readonly authorizations: Pick<Authorizations, "allow" | "redeem" | "refresh" | "revoke">;
  readonly browsers: Pick<BrowserSessions, "find">;
  /** Where somebody logs in who is to come back to this path of ours. */
  readonly loginAddress: (back: string) => string;
  readonly log: (note: PeopleNote) => void;
  readonly onError: (text: string, error: unknown) => void;
  readonly documents?: DocumentOptions;
}

/** Requests of one address per second on average, and at once. A whole company may share an address. */
const RATES = {
  pages: [10, 200],
  tokens: [100, 2_000],
  registrations: [0.5, 60],
} as const;

const BODY_BYTES = 32 * 1024;

/** Our own authorization server (O4). All that it knows is in the store, so that any machine answers any step. */
export function authorizationRoutes(options: AuthorizationServerOptions): ReadonlyMap<string, PeopleRoute> {
  const { publicUrl, place, auth, onError } = options;
  const registered = createRegisteredClients(place);
  const documents = createClientDocuments(options.documents);
  const clients = createKnownClients({ registered, documents, auth });
  const consents = createConsents(place);
  const authorize = createAuthorize({ ...options, consents, clients, registered });
  const forTokens = { ...options, clients, registered };
  const rates = createRates();

  const page: PeopleRoute = {
    anyOrigin: false,
    async answer(request, response, caller) {
      try {
        rates.pages(caller);
        if (request.method === "GET") return await authorize.ask(request, response);
        allow(request, ["GET", "POST"]);
        await authorize.answer(request, response);
      } catch (error) {
        const failure = toFailure(error, onError);
        if (response.headersSent) return void response.destroy();
        sendPage(response, failure.status, failurePage(failure.message), failure.headers);
      }
    },
  };
  const endpoint = (work: Work): PeopleRoute => ({
    anyOrigin: true,
    async answer(request, response, caller) {
      const headers = { ...ANY_ORIGIN, "access-control-allow-methods": "POST, OPTIONS", pragma: "no-cache" };
      if (request.method === "OPTIONS") return void response.writeHead(204, headers).end();
      try {
        allow(request, ["POST", "OPTIONS"]);
        const { status, body } = await work(request, response, caller);
        if (body !== null) return sendJson(response, status, body, headers);
        response.writeHead(status, { ...headers, "cache-control": "no-store", "content-length": 0 }).end();
      } catch (error) {
        const failure = toFailure(error, onError);
        sendFailure(response, failure, headers);
      }
    },
  });
  const withForm = (work: (request: IncomingMessage, form: ReadonlyMap<string, string>) => Promise<object | null>) =>
    endpoint(async (request, response, caller) => {
      rates.tokens(caller);
      const form = await readForm(request, response, BODY_BYTES);
      return { status: 200, body: await work(request, form) };
    });

  return new Map([
    [PATHS.metadata, metadataRoute(publicUrl, () => auth().registration)],
    [PATHS.authorize, page],
    [PATHS.token, withForm((request, form) => answerToken(request, form, forTokens))],
    [PATHS.revoke, withForm((request, form) => answerRevoke(request, form, forTokens).then(() => null))],
    [
      PATHS.register,
      endpoint(async (request, response, caller) => {
        if (!auth().registration)
          throw new OAuthFailure("access_denied", "clients cannot register here (gateway.auth.registration)", 403);
        rates.registrations(caller);
        const body = await readJsonBody(request, response, BODY_BYTES);
        return { status: 201, body: await answerRegistration(body, caller.address, { ...options, registered }) };
      }),
    ],
  ]);
}

type Work = (
  request: IncomingMessage,
  response: ServerResponse,
  caller: CallerPlace,
) => Promise<{ readonly status: number; readonly body: object | null }>;

/** Whether clients may register can change while we run. */
function metadataRoute(publicUrl: string, hasRegistration: () => boolean): PeopleRoute {
  const [without, having] = [false, true].map((has) => openJson(authorizationMetadata(publicUrl, has)));
  return {
    anyOrigin: true,
    answer: async (...given) => (hasRegistration() ? having : without)?.answer(...given),
  };
}

/** What is said to one request too many of an address. */
function createRates() {
  const limitOf = (perSecond: number, burst: number) => {
    const rate = createRateLimit(perSecond, burst, () => performance.now());
    return ({ address }: CallerPlace): void => {
      const seconds = rate.take(toCallerNetwork(address));
      if (seconds === 0) return;
      const headers = { "retry-after": String(seconds) };
      throw new OAuthFailure("temporarily_unavailable", "too many requests; wait a little", 429, headers);
    };
  };
  return {
    pages: limitOf(...RATES.pages),
    tokens: limitOf(...RATES.tokens),
    registrations: limitOf(...RATES.registrations),
  };
}

function allow({ method = "" }: IncomingMessage, methods: readonly string[]): void {
  if (!methods.includes(method))
    throw new HttpRefusal(405, "http.method", `only ${methods.join(" and ")} are answered here`, {
      allow: methods.join(", "),
    });
}

/** A bug of ours is logged with what it was, and said to nobody. */
function toFailure(error: unknown, onError: (text: string, error: unknown) => void): OAuthFailure {
  const failure = toOAuthFailure(error);
  if (failure === null) onError("a request to the authorization server failed", error);
  return failure ?? OURS;
}
