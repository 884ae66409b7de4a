import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { createDeferred } from "../../../system/time/deferred.ts";

/** The parameters with which the authorization server sends the person back; only `state` has been checked. */
export interface Returned {
  readonly code: string | null;
  readonly iss: string | undefined;
  readonly error: string | null;
}

/** Listens for the redirect of a login: on this machine only, for one answer with the right `state`. */
export interface Redirect {
  readonly url: string;
  readonly state: string;
  readonly returned: Promise<Returned>;
  /** The address from the browser's bar, if the browser runs on another machine. False if it is the wrong one. */
  paste(text: string): boolean;
  close(): Promise<void>;
}

const PATH = "/callback";
const LONGEST = 8_192;

export async function openRedirect(port: number): Promise<Redirect> {
  const state = randomBytes(32).toString("base64url");
  const returned = createDeferred<Returned>();
  let isUsed = false;
  let base = "";

  /** Accepts one answer with the right state. */
  const take = (url: URL): boolean => {
    const { searchParams: params } = url;
    if (isUsed || url.pathname !== PATH || !isSame(params.get("state") ?? "", state)) return false;
    const [code, error] = [params.get("code"), params.get("error")];
    // A repeated parameter means different things to different readers.
    const isClear = ["code", "error", "iss", "state"].every((name) => params.getAll(name).length <= 1);
    if (!isClear || (code === null) === (error === null)) return false;
    isUsed = true;
    returned.resolve({ code, error, iss: params.get("iss") ?? undefined });
    return true;
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const text = request.url ?? "";
    const isOurs = request.method === "GET" && request.headers.host === new URL(base).host && text.length <= LONGEST;
    const taken = isOurs && text.startsWith(`${PATH}?`) && URL.canParse(text, base) && take(new URL(text, base));
    response.writeHead(taken ? 200 : 400, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      connection: "close",
    });
    response.end(
      taken ? "Toolcrib has your answer. You can close this window.\n" : "This is not the expected answer.\n",
    );
  };

  const server = createServer({ maxHeaderSize: 16_384, requestTimeout: 10_000 }, answer);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      const why = "code" in error ? String(error.code) : "it failed";
      reject(new ToolcribError("login.failed", `Nothing can listen on port ${port} of this machine (${why}).`));
    });
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : port}`;
  let closing: Promise<void> | null = null;
  return {
    url: `${base}${PATH}`,
    state,
    returned: returned.promise,
    paste(text) {
      const line = text.trim();
      if (line.length > LONGEST || !URL.canParse(line)) return false;
      const url = new URL(line);
      return url.origin === base && take(url);
    },
    close() {
      closing ??= new Promise<void>((resolve) => {
        server.close(() => resolve());
        // The answer may still be on its way out.
        setImmediate(() => server.closeAllConnections());
      });
      return closing;
    },
  };
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
