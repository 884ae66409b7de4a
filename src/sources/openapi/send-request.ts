import { AddressRefusal } from "../../system/addresses/address-refusal.ts";
import { type Reach, resolvePublic } from "../../system/addresses/resolve-public.ts";
import type { HttpAnswer, HttpClient } from "../parts/http-client.ts";
import type { ApiRequest } from "./build-request.ts";

export interface ApiWire {
  readonly client: HttpClient;
  /** Where connections may go; null if a person wrote the address. */
  readonly reach: Reach | null;
}

const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a request and follows redirects that stay on the same host and only read: credentials are for that host alone.
 */
export async function sendRequest(
  request: ApiRequest,
  { client, reach }: ApiWire,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  let { url, method, body } = request;
  const headers = new Headers([...request.headers]);
  for (let redirects = 0; ; redirects += 1) {
    const addresses = reach === null ? null : (await resolvePublic(url, reach, signal)).addresses;
    const answer = await client.send({ url, method, headers, body, signal, addresses });
    const location = answer.headers.get("location");
    if (!REDIRECTS.has(answer.status) || location === null) return answer;
    answer.body.destroy();
    const next = URL.canParse(location, url.href) ? new URL(location, url) : null;
    const isReading = method === "GET" || method === "HEAD";
    if (next === null || next.origin !== url.origin || !(isReading || answer.status === 303))
      throw new AddressRefusal(
        "redirects",
        `The API redirects to ${next === null ? "no address" : next.href}, which was not followed.`,
      );
    if (redirects === MOST_REDIRECTS)
      throw new AddressRefusal("redirects", `The API redirects more than ${MOST_REDIRECTS} times.`);
    url = next;
    if (isReading) continue;
    method = "GET";
    body = null;
    headers.delete("content-type");
  }
}
