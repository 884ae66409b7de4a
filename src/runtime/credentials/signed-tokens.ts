import { randomUUID } from "node:crypto";
import type { SignedCredential } from "../../config/shape/credential-shape.ts";
import { type Caller, callerKey, describePerson } from "../../core/people/person.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** Statements of the gateway about who asks, on this machine. */
export interface SignedTokens {
  /** For that caller and audience; another one than `refused`. */
  get(caller: Caller, credential: SignedCredential, audience: string, refused: string | null): Promise<string>;
}

interface SignedTokensOptions {
  /** An origin: who says so. */
  readonly publicUrl: string;
  readonly keys: Pick<SigningKeys, "current">;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const MOST = 5_000;
/** The part of its life for which one is sent. */
const SENT_FOR = 0.5;

export function createSignedTokens({ publicUrl, keys, now = Date.now }: SignedTokensOptions): SignedTokens {
  const kept = new Map<string, { readonly token: string; readonly until: number }>();
  return {
    async get(caller, { lifetime, algorithm }, audience, refused) {
      const key = JSON.stringify([callerKey(caller), audience, lifetime, algorithm]);
      const known = kept.get(key);
      if (known !== undefined && known.until > now() && known.token !== refused) return known.token;
      const { SignJWT, importJWK } = await import("jose");
      const { kid, secret } = await keys.current(algorithm);
      const at = Math.floor(now() / 1_000);
      const token = await new SignJWT({
        // Only together with its issuer does a subject name one person.
        sub_id: { format: "iss_sub", iss: caller.issuer, sub: caller.subject },
        ...(caller.client === null ? {} : { act: { sub: caller.client } }),
      })
        .setProtectedHeader({ alg: algorithm, kid, typ: "JWT" })
        .setIssuer(publicUrl)
        .setSubject(describePerson(caller))
        .setAudience(audience)
        .setIssuedAt(at)
        .setExpirationTime(at + Math.ceil(lifetime / 1_000))
        .setJti(randomUUID())
        .sign(await importJWK(secret, algorithm));
      kept.delete(key);
      const [oldest] = kept.size < MOST ? [] : kept.keys();
      if (oldest !== undefined) kept.delete(oldest);
      kept.set(key, { token, until: now() + lifetime * SENT_FOR });
      return token;
    },
  };
}
