/** Why a token is needed: there is none, it has run out, it may too little, or the new one was not to be had. */
export type TokenReason = "initial" | "refresh" | "upscope" | "reauth";

interface TokenRequest {
  /** As the configuration calls it. */
  readonly server: string;
  readonly url: URL;
  readonly reason: TokenReason;
  /** What the server said, where it said anything; untrusted. */
  readonly challenge: { readonly resourceMetadataUrl?: string; readonly scope?: string; readonly error?: string };
  /** The server's description of itself as it was written; null where it names none that can be read. */
  readonly resourceMetadata: string | null;
}

/** Asks the party that logs in on behalf of the session; null if it does not. */
export type AskToken = (request: TokenRequest, signal: AbortSignal) => Promise<string | null>;

/** A refused request that needs other credentials. */
export interface Challenge {
  readonly url: URL;
  readonly status: number;
  /** Its `WWW-Authenticate`; untrusted text. */
  readonly header: string | null;
}

/** What proves to one server who asks: a token for requests to it alone. */
export interface Tokens {
  /** How a token is sent; as `Authorization: Bearer` if absent. */
  readonly sentAs?: { readonly header: string; readonly prefix: string };
  /** Without a token nothing is sent to the server, which would answer as if nobody asked. */
  readonly isRequired?: boolean;
  /** The token to send now, renewed if it has expired; null if there is none, or the address is another server's. */
  current(url: URL, signal: AbortSignal): Promise<string | null>;
  /**
   * Another token after this one was refused, or the first one after a request without any was; null if there is none.
   */
  renew(refused: string | null, signal: AbortSignal, challenge: Challenge): Promise<string | null>;
  /** Whether there is a token that has not been sent yet. */
  hasOther(): Promise<boolean>;
  /** Removes every token seen so far from a text. */
  hide(text: string): string;
  /** Waits for a renewal in progress, whose outcome would be lost. Twice is fine. */
  close(): Promise<void>;
}

/** The headers of a request with this token. */
export function withToken(headers: Headers, token: string, { sentAs }: Pick<Tokens, "sentAs">): Headers {
  const { header, prefix } = sentAs ?? BEARER;
  const all = new Headers(headers);
  all.set(header, `${prefix}${token}`);
  return all;
}

const BEARER = { header: "authorization", prefix: "Bearer " };
