import { type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { AddressRefusal } from "./address-refusal.ts";
import { type PublicTarget, type Reach, resolvePublic } from "./resolve-public.ts";

export interface PublicResponse {
  /** The final URL after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly message: IncomingMessage;
}

const MAX_REDIRECTS = 5;
const NOT_FOLLOWED = "which was not followed: whether that address may be fetched has to be decided for itself";
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches a public URL, following at most five redirects, each checked like the first. Every request is independent:
 * its own connection to a checked address, no cookies, and only the given headers, which must hold no secret. The
 * caller reads the message or destroys it. `mayFollow` is asked about every redirect before anything is sent there.
 */
export async function getPublic(
  input: string,
  headers: Readonly<Record<string, string>>,
  reach: Reach,
  signal: AbortSignal,
  mayFollow: (url: URL) => boolean = () => true,
): Promise<PublicResponse> {
  let target = await resolvePublic(input, reach, signal);
  for (let redirects = 0; ; redirects += 1) {
    const message = await send(target, headers, signal);
    const status = message.statusCode ?? 0;
    const { location } = message.headers;
    if (!REDIRECTS.has(status) || location === undefined) return { url: target.url, status, message };
    message.destroy();
    if (redirects === MAX_REDIRECTS) {
      throw new AddressRefusal("redirects", `The page redirects more than ${MAX_REDIRECTS} times.`);
    }
    if (!URL.canParse(location, target.url.href)) {
      throw new AddressRefusal("invalid-url", "The page redirects to something that is not a URL.");
    }
    const next = new URL(location, target.url);
    if (!mayFollow(next)) throw new AddressRefusal("redirects", `The page redirects to ${next.href}, ${NOT_FOLLOWED}.`);
    target = await resolvePublic(next, reach, signal);
  }
}

function send(
  { url, addresses }: PublicTarget,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const options: RequestOptions = {
    // Its own agent, so that no pooled connection to another address is used.
    agent: false,
    headers,
    signal,
    lookup: pinnedLookup(addresses),
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? requestHttps(url, options) : requestHttp(url, options);
    request.once("response", resolve);
    request.once("error", reject);
    request.end();
  });
}

/** Returns the checked addresses for any name: nothing may change between the check and the connection. */
function pinnedLookup(addresses: PublicTarget["addresses"]): LookupFunction {
  return (_host, options, answer) => {
    if (options.all === true) answer(null, [...addresses]);
    else answer(null, addresses[0].address, addresses[0].family);
  };
}
