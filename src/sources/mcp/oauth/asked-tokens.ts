import { untilAborted } from "../../../system/time/until-aborted.ts";
import { createSeenSecrets } from "../../parts/seen-secrets.ts";
import type { AskToken, Challenge, TokenReason, Tokens } from "../../token-port.ts";
import { loadClientPackage } from "../client-package.ts";
import { checkAuthAddress, isConfidential } from "./auth-address.ts";

export interface AskedTokensOptions {
  readonly name: string;
  readonly server: URL;
  readonly ask: AskToken;
  /** A login of this machine, which is used first. */
  readonly stored: Tokens | null;
}

/** Tokens that somebody else provides for one server, such as the program that a session works for. */
export function createAskedTokens({ name, server, ask, stored }: AskedTokensOptions): Tokens {
  const seen = createSeenSecrets();
  const over = new AbortController();
  let given: string | null = null;
  let asking: Promise<string | null> | null = null;
  const isOurs = (url: URL): boolean => url.origin === server.origin && isConfidential(url);

  const askFor = async (reason: TokenReason, challenge: Challenge): Promise<string | null> => {
    const details = await readChallenge(challenge, server, over.signal);
    const request = { server: name, url: server, ...details };
    const token = await ask({ ...request, reason }, over.signal);
    // If a token cannot be renewed, its login may have expired as well.
    return token === null && reason === "refresh" ? ask({ ...request, reason: "reauth" }, over.signal) : token;
  };
  const askOnce = async (reason: TokenReason, challenge: Challenge): Promise<string | null> => {
    const token = await askFor(reason, challenge);
    if (token === null || !SENDABLE.test(token)) return null;
    seen.add(token);
    given = token;
    return token;
  };

  return {
    async current(url, signal) {
      if (given !== null) return isOurs(url) ? given : null;
      return stored?.current(url, signal) ?? null;
    },
    async renew(refused, signal, challenge) {
      if (!isOurs(challenge.url)) return null;
      const known = given === null ? ((await stored?.renew(refused, signal, challenge)) ?? null) : null;
      if (known !== null) return known;
      // An earlier refusal has renewed it for everybody.
      if (given !== null && given !== refused) return given;
      const reason = refused === null ? "initial" : challenge.status === 403 ? "upscope" : "refresh";
      asking ??= askOnce(reason, challenge).finally(() => {
        asking = null;
      });
      return untilAborted(asking, signal);
    },
    hasOther: async () => (given === null ? ((await stored?.hasOther()) ?? false) : false),
    hide: (text) => seen.hide(stored?.hide(text) ?? text),
    async close() {
      over.abort();
      await asking?.catch(() => null);
      await stored?.close();
    },
  };
}

const SENDABLE = /^[\x21-\x7e]{1,16384}$/;

/** The parsed challenge, and the metadata document that it names. */
async function readChallenge({ status, header }: Challenge, server: URL, signal: AbortSignal) {
  const sdk = await loadClientPackage();
  const headers = header === null ? {} : { "www-authenticate": header };
  const { resourceMetadataUrl, scope, error } = sdk.extractWWWAuthenticateParams(
    new Response(null, { status, headers }),
  );
  const challenge = {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl: resourceMetadataUrl.href }),
    ...(scope === undefined ? {} : { scope }),
    ...(error === undefined ? {} : { error }),
  };
  const resourceMetadata =
    resourceMetadataUrl === undefined ? null : await describe(resourceMetadataUrl, server, signal);
  return { challenge, resourceMetadata };
}

async function describe(place: URL, server: URL, signal: AbortSignal): Promise<string | null> {
  const { createAuthFetch } = await import("./auth-fetch.ts");
  const http = createAuthFetch({ server, signal });
  try {
    const answer = await http.fetch(checkAuthAddress(place.href, server, "description of the server"));
    return answer.ok ? await answer.text() : null;
  } catch {
    // The metadata is a convenience; the one who is asked can look for it.
    return null;
  } finally {
    http.close();
  }
}
