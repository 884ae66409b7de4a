import { untilAborted } from "../../../system/time/until-aborted.ts";
import { createSeenSecrets } from "../../parts/seen-secrets.ts";
import type { Tokens } from "../../token-port.ts";
import { loadClientPackage } from "../client-package.ts";
import { checkAuthAddress, isConfidential } from "./auth-address.ts";
import { isSameLogin, type Login, type LoginStore } from "./login-store.ts";
import { isAboutGrant, isFinal, toLogin, toLoginError } from "./to-login.ts";

export interface TokensOptions {
  readonly server: URL;
  readonly store: LoginStore;
  /** Its client is configured: that this is refused says nothing about the login. */
  readonly hasOwnClient?: boolean;
  readonly now?: () => number;
}

/** A token is renewed this long before it expires, to allow for travel time and clocks that differ. */
const MARGIN = 30_000;
const RENEWAL = 20_000;
/** Shorter secrets are not hidden: that would garble the text. */
const SHORTEST = 4;

export function createTokens({ server, store, hasOwnClient = false, now = Date.now }: TokensOptions): Tokens {
  const seen = createSeenSecrets();
  let sent: string | null = null;
  let renewing: Promise<Login | null> | null = null;

  const note = (login: Login | null): Login | null => {
    for (const secret of [login?.access, login?.refresh, login?.clientSecret]) {
      if (typeof secret === "string" && secret.length >= SHORTEST) seen.add(secret);
    }
    return login;
  };
  const isOver = ({ expires }: Login): boolean => expires !== null && expires - MARGIN <= now();

  /** If somebody else renewed it in the meantime, in this process or another, that counts for everybody. */
  const renewOnce = async (refused: string | null): Promise<Login | null> => {
    const patience = AbortSignal.timeout(RENEWAL);
    return store.alone(patience, async () => {
      const known = note(await store.read());
      if (known === null || (known.access !== refused && !isOver(known))) return known;
      if (known.refresh === null) return known.access === refused ? null : known;
      const sdk = await loadClientPackage();
      const { createAuthFetch } = await import("./auth-fetch.ts");
      const http = createAuthFetch({ server, signal: patience });
      try {
        const next = await sdk.refreshAuthorization(known.issuer, {
          metadata: toMetadata(known, server),
          clientInformation: toOauthClient(known),
          refreshToken: known.refresh,
          ...(known.resource === null ? {} : { resource: known.resource }),
          fetchFn: http.fetch,
        });
        const login = note(toLogin(next, known, now()));
        // A logout or another login in the meantime is not undone.
        return login !== null && (await store.renew(known, login)) ? login : note(await store.read());
      } catch (error) {
        if (!isFinal(error, sdk) || (hasOwnClient && !isAboutGrant(error, sdk)))
          throw toLoginError(error, "renewing it", sdk);
        const other = note(await store.read());
        if (other !== null && !isSameLogin(other, known)) return other;
        await store.refuse(known);
        return null;
      } finally {
        http.close();
      }
    });
  };
  const renew = async (refused: string | null, signal: AbortSignal): Promise<string | null> => {
    renewing ??= renewOnce(refused).finally(() => {
      renewing = null;
    });
    // One waiting caller that gives up does not cancel the renewal for the others.
    const login = await untilAborted(renewing, signal);
    return login === null || login.access === refused ? null : login.access;
  };

  return {
    async current(url, signal) {
      if (url.origin !== server.origin || !isConfidential(url)) return null;
      const login = note(await store.read());
      const token = login === null ? null : isOver(login) ? await renew(null, signal) : login.access;
      sent = token;
      return token;
    },
    async renew(refused, signal, { status }) {
      // A new login is found by the watch; and a renewed token has no more rights than the old one.
      if (refused === null || status !== 401) return null;
      const token = await renew(refused, signal);
      if (token !== null) sent = token;
      return token;
    },
    async hasOther() {
      const login = note(await store.read());
      return login !== null && login.access !== sent;
    },
    hide: seen.hide,
    async close() {
      await renewing?.catch(() => null);
    },
  };
}

/** The endpoint comes from the file and is checked like any other address. */
export function toMetadata(
  { issuer, tokenEndpoint, authMethods }: Pick<Login, "issuer" | "tokenEndpoint" | "authMethods">,
  server: URL,
) {
  return {
    issuer,
    token_endpoint: checkAuthAddress(tokenEndpoint, server, "token endpoint").href,
    token_endpoint_auth_methods_supported: [...authMethods],
    authorization_endpoint: issuer,
    response_types_supported: ["code"],
  };
}

export function toOauthClient({ clientId, clientSecret }: Pick<Login, "clientId" | "clientSecret">) {
  return { client_id: clientId, ...(clientSecret === null ? {} : { client_secret: clientSecret }) };
}
