import type { Person } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import type { KeyValues } from "../store/store.ts";
import type { ProviderTokens } from "./contract.ts";
import { type KeyedSealer, sealedWith } from "./sealer.ts";

/** What is stored of a session at the identity provider. */
export interface ProviderSessionRow {
  readonly sid: string | null;
  readonly at: number;
  readonly confirmed: number;
  readonly sealed: string | null;
  readonly tokens: string | null;
}

export type RefreshToken =
  | { readonly kind: "open"; readonly value: string; readonly sealed: string; readonly key: string | null }
  /** Not sealed by a key of this machine, or for another client or person. */
  | { readonly kind: "closed"; readonly key: string | null };

export interface SessionSealsOptions {
  readonly scope: string;
  readonly sealer: KeyedSealer;
  /** Our id at the provider: with another one, its tokens do not count. */
  readonly clientId: string;
  /** Whether tokens are worth keeping, because they are exchanged for others. */
  readonly keepsTokens: () => boolean;
}

/** The seals of one session's secrets. */
export interface SessionSeals {
  sealRefresh(token: string): string;
  openRefresh(sealed: string): RefreshToken;
  /** Null: they are not kept. */
  sealTokens(tokens: ProviderTokens | null): string | null;
  openTokens(sealed: string | null): ProviderTokens | null;
}

export function createSessionSeals(options: SessionSealsOptions): (person: Person, browser: string) => SessionSeals {
  const { scope, sealer, clientId, keepsTokens } = options;
  return ({ issuer, subject }, browser) => {
    const about = ["provider session", ...[scope, issuer, subject, clientId, browser]];
    const aboutTokens = ["tokens", ...about];
    return {
      sealRefresh: (token) => sealer.seal(token, about),
      openRefresh(sealed) {
        const value = sealer.open(sealed, about);
        const key = sealedWith(sealed);
        return value === null ? { kind: "closed", key } : { kind: "open", value, sealed, key };
      },
      sealTokens: (tokens) =>
        tokens === null || !keepsTokens() ? null : sealer.seal(JSON.stringify(tokens), aboutTokens),
      openTokens(sealed) {
        const text = sealed === null ? null : sealer.open(sealed, aboutTokens);
        return text === null ? null : (JSON.parse(text) as ProviderTokens); // As it was sealed here.
      },
    };
  };
}

/** Seals one person's sessions with the key that seals now; true if none is left that another one opens. */
export async function resealSessions(
  values: KeyValues,
  sealsOf: (browser: string) => SessionSeals,
  { keys }: KeyedSealer,
): Promise<boolean> {
  const isNewest = (sealed: string | null): boolean => sealed === null || sealedWith(sealed) === keys[0];
  let isWhole = true;
  for (const [browser, value] of await values.entries()) {
    const before = toSessionRow(value);
    if (before === null || (isNewest(before.sealed) && isNewest(before.tokens))) continue;
    const seals = sealsOf(browser);
    const token = before.sealed === null ? null : seals.openRefresh(before.sealed);
    const tokens = seals.sealTokens(seals.openTokens(before.tokens));
    if (token?.kind === "closed") {
      // What was sealed for another client of ours is lost anyway, but not what another machine may open.
      isWhole = isWhole && token.key !== null && keys.includes(token.key);
      continue;
    }
    const next = { sealed: token === null ? null : seals.sealRefresh(token.value), tokens };
    await values.change(browser, (now) => {
      const session = toSessionRow(now);
      const isSame = session?.sealed === before.sealed && session.tokens === before.tokens;
      isWhole = isWhole && (session === null || isSame);
      return session !== null && isSame ? { ...session, ...next } : now;
    });
  }
  return isWhole;
}

/** As it was written; null for what is none. */
export function toSessionRow(value: unknown): ProviderSessionRow | null {
  if (!isRecord(value) || typeof value.at !== "number") return null;
  return { tokens: null, ...value } as unknown as ProviderSessionRow; // As it was put, or was before tokens were kept.
}
