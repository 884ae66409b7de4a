import { createHmac, hash, randomBytes } from "node:crypto";

/** The two parts of a token: which family it belongs to, and what only its bearers know. */
export interface FamilyToken {
  readonly handle: string;
  readonly secret: string;
}

/** So that people and scanners of secrets know what they have found. */
const PREFIXES = { access: "tca_", refresh: "tcr_" } as const;
export type TokenKind = keyof typeof PREFIXES;

const HANDLE = 22;
const TOKEN = /^(tca_|tcr_)([\w-]{22})([\w-]{43})$/;

export function writeToken(kind: TokenKind, { handle, secret }: FamilyToken): string {
  return `${PREFIXES[kind]}${handle}${secret}`;
}

/** Null for anything that was never one of ours. */
export function readToken(kind: TokenKind, text: string): FamilyToken | null {
  const [, prefix, handle, secret] = TOKEN.exec(text) ?? [];
  if (prefix !== PREFIXES[kind] || handle === undefined || secret === undefined) return null;
  return { handle, secret };
}

/** What nobody can guess: 256 bits. */
export function randomSecret(): string {
  return randomBytes(32).toString("base64url");
}

export function randomHandle(): string {
  return randomSecret().slice(0, HANDLE);
}

/** What of a secret is stored. It was random, so that nobody finds it by trying. */
export function hashOf(secret: string): string {
  return hash("sha256", secret, "base64url");
}

/** The secret after this one: who has the one and the row can say the other, and nobody who has the row alone. */
export function nextSecret(secret: string, step: string): string {
  return createHmac("sha256", secret).update(step).digest("base64url");
}
