import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import { errnoOf } from "../../system/paths/path-refusal.ts";
import type { Clock } from "../../system/time/clock.ts";
import type { HttpClient } from "../parts/http-client.ts";
import { readBody } from "../parts/read-body.ts";

/** Where to get a token, for which client and which scopes. */
export interface TokenWish {
  readonly url: URL;
  /** `id:secret`. */
  readonly client: string;
  readonly scopes: readonly string[];
}

export interface TokenPorts {
  readonly client: HttpClient;
  readonly clock: Clock;
  /** Why policy forbids calling an address; null if it does not. */
  readonly whyRefused: (url: string) => string | null;
}

/** Why there is no token; the model reads it. */
export class TokenFault extends Error {
  override readonly name = "TokenFault";
}

/** Tokens that a program gets for itself, by the client credentials grant of OAuth 2, cached until they expire. */
export interface ClientTokens {
  get(wish: TokenWish, ports: TokenPorts, signal: AbortSignal): Promise<string>;
  /** The API refused the token. False if none was cached. */
  forget(wish: TokenWish): boolean;
  /** Cached tokens, which must not be shown. */
  readonly secrets: readonly string[];
}

interface CachedToken {
  readonly value: string;
  readonly until: number;
}

export function createClientTokens(): ClientTokens {
  const cached = new Map<string, CachedToken>();
  const asking = new Map<string, Promise<CachedToken>>();
  return {
    async get(wish, ports, signal) {
      const key = keyOf(wish);
      for (;;) {
        const known = cached.get(key);
        if (known !== undefined && known.until > ports.clock.now()) return known.value;
        const other = asking.get(key);
        if (other === undefined) break;
        // The first caller may have been cancelled, so the next one asks again.
        await other.catch(() => {});
        signal.throwIfAborted();
      }
      const asked = askForToken(wish, ports, signal);
      asking.set(key, asked);
      try {
        const token = await asked;
        cached.set(key, token);
        return token.value;
      } finally {
        asking.delete(key);
      }
    },
    forget: (wish) => cached.delete(keyOf(wish)),
    get secrets() {
      return [...cached.values()].map(({ value }) => value);
    },
  };
}

function keyOf({ url, client, scopes }: TokenWish): string {
  return JSON.stringify([url.href, client, [...scopes].sort()]);
}

const MOST_BYTES = 64 * 1024;
/** Seconds that a token lasts if the server does not say, and how long before its end it is no longer used. */
const LIFETIME = 300;
const MARGIN = 30;
/** Characters that a header may contain. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;
const ERROR_CODE = /^[a-z_]{1,40}$/;

async function askForToken(wish: TokenWish, ports: TokenPorts, signal: AbortSignal): Promise<CachedToken> {
  const { url } = wish;
  const why = ports.whyRefused(url.href);
  if (why !== null) throw new TokenFault(`No token was asked for: ${why}.`);
  // By the standard, every authorization server accepts the first way; some accept only the second.
  let answer = await send(wish, "header", ports, signal);
  if (answer.status === 401 || answer.error === "invalid_client") answer = await send(wish, "body", ports, signal);
  const { status, fields, error } = answer;
  const shown = `${url.origin}${url.pathname}`;
  if (status !== 200)
    throw new TokenFault(`No token came from ${shown}: HTTP ${status}${error === null ? "" : ` (${error})`}.`);
  const { access_token: value, token_type: type = "bearer", expires_in: lasts } = fields;
  if (typeof value !== "string" || !TOKEN.test(value) || String(type).toLowerCase() !== "bearer")
    throw new TokenFault(`${shown} answered without a bearer token.`);
  const seconds = Number.isFinite(Number(lasts ?? Number.NaN)) ? Number(lasts) : LIFETIME;
  return { value, until: ports.clock.now() + Math.max(0, seconds - Math.min(MARGIN, seconds / 10)) * 1000 };
}

interface TokenAnswer {
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly error: string | null;
}

async function send(
  { url, client: who, scopes }: TokenWish,
  place: "header" | "body",
  { client }: TokenPorts,
  signal: AbortSignal,
): Promise<TokenAnswer> {
  const at = who.indexOf(":");
  const [id, secret] = [who.slice(0, at), who.slice(at + 1)];
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  const headers = new Headers({
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
    "user-agent": "toolcrib",
  });
  if (place === "header") headers.set("authorization", `Basic ${toBase64(`${toForm(id)}:${toForm(secret)}`)}`);
  else {
    form.set("client_id", id);
    form.set("client_secret", secret);
  }
  try {
    const { status, headers: got, body } = await client.send({ url, method: "POST", headers, body: `${form}`, signal });
    const read = await readBody(body, got.get("content-encoding"), MOST_BYTES);
    const parsed = read === null || read.cut ? null : parseJson(read.bytes.toString("utf8"));
    const fields = isRecord(parsed) ? parsed : {};
    const { error } = fields;
    return { status, fields, error: typeof error === "string" && ERROR_CODE.test(error) ? error : null };
  } catch (error) {
    signal.throwIfAborted();
    const code = errnoOf(error);
    if (code === null) throw error;
    throw new TokenFault(`No token came from ${url.origin}${url.pathname}, which could not be reached (${code}).`);
  }
}

/** Form encoding, which the standard requires for both halves. */
function toForm(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
