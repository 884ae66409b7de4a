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
