import type { PeerClient } from "./peer.ts";

/** Through whom a person can be asked for a login that a request lacks. */
export interface AskedBy {
  /** Null: nobody can be asked, so that words have to do. */
  readonly client: PeerClient | null;
  readonly signal: AbortSignal;
}

export type AskOutcome =
  /** The person has logged in, so that the request can go on. */
  | { readonly kind: "ready" }
  /** For a client that shows an address, and sends the request again once the person has been there. */
  | { readonly kind: "error"; readonly code: number; readonly message: string; readonly data: unknown }
  /** For everybody else: what is missing and, if the person can do something, the link to pass on; for logs the reason. */
  | { readonly kind: "words"; readonly text: string; readonly reason: string };

/**
 * Asks the person whose source it is for the login or key that it lacks; null if it lacks none. May take as long as a
 * person takes.
 */
export type AskLogin = (by: AskedBy) => Promise<AskOutcome | null>;

/** Null for a source at which nobody has a login of their own. */
export function askLoginOf(source: object): AskLogin | null {
  if (!("askLogin" in source)) return null;
  return source.askLogin as AskLogin; // Only sources of persons have that member.
}
