import { setMaxListeners } from "node:events";
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import type { ResolvedAddress } from "../../system/addresses/resolve-public.ts";

/** One HTTP response, with its body unread. Redirects are not followed. */
export interface HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly body: Readable;
}

interface HttpQuestion {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array | null;
  readonly signal: AbortSignal | null;
  /** Checked addresses of its host: the connection goes to one of these. */
  readonly addresses?: readonly ResolvedAddress[] | null;
}

/**
 * An HTTP client that owns its sockets. The global `fetch` shares idle sockets and cannot close them, follows redirects
 * by itself, and ends a silent event stream after five minutes.
 */
export interface HttpClient {
  send(question: HttpQuestion): Promise<HttpAnswer>;
  /** Ends every socket, used or idle. */
  close(): void;
}

export function createHttpClient(): HttpClient {
  const http = new HttpAgent({ keepAlive: true });
  const https = new HttpsAgent({ keepAlive: true });
  return {
    send: (question) =>
      new Promise((resolve, reject) => {
        const { url, method, headers, body, signal, addresses = null } = question;
        const secure = url.protocol === "https:";
        const request = (secure ? httpsRequest : httpRequest)(url, {
          method,
          headers: Object.fromEntries(headers),
          agent: secure ? https : http,
          ...(addresses === null ? {} : { lookup: toLookup(addresses) }),
        });
        const onAbort = () => {
          reject(signal?.reason);
          request.destroy();
        };
        // The inner transport uses one signal for all its requests, of which there may be any number.
        if (signal !== null) setMaxListeners(0, signal);
        signal?.addEventListener("abort", onAbort, { once: true });
        request.once("close", () => signal?.removeEventListener("abort", onAbort));
        request.once("response", (response) => resolve(toAnswer(response)));
        request.on("error", reject);
        if (signal?.aborted) onAbort();
        else request.end(body ?? undefined);
      }),
    close() {
      http.destroy();
      https.destroy();
    },
  };
}

function toLookup(addresses: readonly ResolvedAddress[]): LookupFunction {
  const [first] = addresses;
  return (_name, { all }, callback) => {
    if (all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? "", first?.family);
  };
}

function toAnswer(response: IncomingMessage): HttpAnswer {
  // The reader of the body gets the error too; without a reader it must not crash the process.
  response.on("error", () => {});
  const headers = new Headers();
  for (let at = 0; at + 1 < response.rawHeaders.length; at += 2) {
    headers.append(response.rawHeaders[at] ?? "", response.rawHeaders[at + 1] ?? "");
  }
  return {
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? "",
    headers,
    body: response,
  };
}
