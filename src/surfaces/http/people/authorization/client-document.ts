import { readRedirect } from "../../../../core/people/redirect-address.ts";
import { isRecord } from "../../../../core/shape/is-record.ts";
import { cleanOutput } from "../../../../system/text/clean-text.ts";

/** Who asks for access, however we know it. */
export interface DescribedClient {
  readonly id: string;
  /** As it names itself; anybody can take any name. */
  readonly name: string;
  readonly redirects: readonly string[];
}

const MOST_REDIRECTS = 20;
const MOST_NAME = 80;

/**
 * An address at which a client may describe itself: https, a name and not a number, a path, and nothing that two readers
 * could read in two ways.
 */
const DOCUMENT =
  /^https:\/\/((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9])(\/[A-Za-z0-9\-._~!$&'()*+,;=:/%]{1,500})$/;
const DOTS = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

export function isDocumentId(id: string): boolean {
  return DOCUMENT.test(id) && !DOTS.test(id);
}

/** A client as its document describes it; a text that says why it cannot be one. */
export function readClientDocument(id: string, value: unknown): DescribedClient | string {
  if (!isRecord(value)) return "its document is no JSON object";
  if (value.client_id !== id) return "its document is about another client_id";
  if (value.client_secret !== undefined) return "its document holds a secret, which everybody can read";
  const { token_endpoint_auth_method: proof = "none", token_endpoint_auth_methods_supported: proofs } = value;
  const isPublic = proof === "none" || (Array.isArray(proofs) && proofs.includes("none"));
  if (!isPublic) return "its document asks for a way to authenticate that is not supported here; allow none";
  const redirects = readRedirects(value.redirect_uris);
  if (redirects === null) return "its document names no redirect address that can be used";
  return { id, name: readName(value.client_name) ?? new URL(id).hostname, redirects };
}

/** Those that can be used; null if there is none, or if it is no list. */
export function readRedirects(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length > MOST_REDIRECTS) return null;
  const found = value.flatMap((each) => readRedirect(each)?.text ?? []);
  return found.length === 0 ? null : [...new Set(found)];
}

/** One line of visible text. */
export function readName(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const line = cleanOutput(value.slice(0, 1_000)).replace(/\s+/g, " ").trim();
  return line === "" ? null : line.slice(0, MOST_NAME);
}
