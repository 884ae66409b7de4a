import { isRecord } from "../../core/shape/is-record.ts";
import { childOf, type Located, membersOf } from "./api-file.ts";
import type { ApiSpec } from "./api-spec.ts";
import { createClientTokens, TokenFault, type TokenPorts, type TokenWish } from "./client-tokens.ts";
import type { Operation, Requirement } from "./operation.ts";
import { type ApiFiles, followReference } from "./references.ts";
import { encode, type Pair } from "./write-value.ts";

/** What a security scheme of a document requires. */
type Scheme =
  | { readonly kind: "key"; readonly place: "header" | "query" | "cookie"; readonly name: string }
  | { readonly kind: "basic" }
  /** A token, however it was obtained; `tokenUrl` if a program can get one for itself. */
  | { readonly kind: "bearer"; readonly tokenUrl: string | null }
  /** Such as a client certificate: nothing that an entry can configure. */
  | { readonly kind: "other"; readonly type: string };

export interface Proof {
  readonly headers: ReadonlyMap<string, string>;
  readonly query: readonly Pair[];
  readonly cookies: readonly Pair[];
}

/** The credentials that the document requires, as far as the entry has them. */
export interface Credentials {
  /** What to send with a call of the operation. Throws a `TokenFault` if a token is needed and cannot be had. */
  proofFor(operation: Operation, ports: TokenPorts, signal: AbortSignal): Promise<Proof>;
  /** The API refused the credentials. Returns whether others may be obtained, because a token was cached. */
  forget(operation: Operation): boolean;
  /** What the operation requires and the entry lacks, in words; null if one alternative is satisfied. */
  hintFor(operation: Operation, server: string): string | null;
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
}

export function readCredentials(
  files: ApiFiles,
  { auth, headers, tokenUrl = null }: Pick<ApiSpec, "auth" | "headers" | "tokenUrl">,
  base: URL,
): Credentials {
  const schemes = readSchemes(files);
  const values = new Map(Object.entries(auth));
  const tokens = createClientTokens();
  const sent = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const isMet = (name: string): boolean => {
    const scheme = schemes.get(name);
    if (values.has(name) || scheme === undefined || scheme.kind === "other") return true;
    const header =
      scheme.kind === "key" ? (scheme.place === "header" ? scheme.name.toLowerCase() : null) : "authorization";
    return header !== null && sent.has(header);
  };
  const choose = ({ security }: Operation): Requirement =>
    security.find((one) => [...one.keys()].every(isMet)) ?? NOTHING;
  const wishFor = (name: string, scopes: readonly string[]): TokenWish | null => {
    const [scheme, client] = [schemes.get(name), values.get(name)];
    // A token never contains a colon.
    if (scheme?.kind !== "bearer" || client?.includes(":") !== true) return null;
    return { url: toTokenUrl(name, scheme.tokenUrl, tokenUrl, base), client, scopes };
  };
  return {
    async proofFor(operation, ports, signal) {
      const proofs: Proof[] = [];
      for (const [name, scopes] of choose(operation)) {
        const wish = wishFor(name, scopes);
        const value = wish === null ? values.get(name) : await tokens.get(wish, ports, signal);
        const proof = toProof(schemes.get(name), value);
        if (proof !== null) proofs.push(proof);
      }
      return {
        headers: new Map(proofs.flatMap((proof) => [...proof.headers])),
        query: proofs.flatMap(({ query }) => query),
        cookies: proofs.flatMap(({ cookies }) => cookies),
      };
    },
    forget(operation) {
      const wishes = [...choose(operation)].flatMap(([name, scopes]) => wishFor(name, scopes) ?? []);
      return wishes.filter(tokens.forget).length > 0;
    },
    hintFor({ security }, server) {
      const wanted = [...new Set(security.flatMap((one) => [...one.keys()]))];
      const show = (name: string): string => `${name} (${describe(schemes.get(name))})`;
      const isAnyMet = security.some((one) => [...one.keys()].every(isMet));
      const missing = isAnyMet ? [] : wanted.filter((name) => !isMet(name));
      if (missing.length > 0)
        return `The API wants to know who asks: ${missing.map(show).join(" or ")}. Whoever runs this can set it in \`auth\` of the entry "${server}".`;
      const other = wanted.filter((name) => schemes.get(name)?.kind === "other");
      return other.length === 0 ? null : `The API wants ${other.map(show).join(" or ")}, which Toolcrib cannot give.`;
    },
    get secrets() {
      const given = [...values].flatMap(([name, value]) => {
        const basic = schemes.get(name)?.kind === "basic" ? [toBase64(value)] : [];
        return [value, encode(value), ...(value.includes(":") ? [value.slice(value.indexOf(":") + 1)] : []), ...basic];
      });
      return [...given, ...tokens.secrets];
    },
  };
}

const NOTHING: Requirement = new Map();

/** The secret goes to the entry's address or to the API's own host: the document alone cannot send it elsewhere. */
function toTokenUrl(name: string, written: string | null, own: string | null, base: URL): URL {
  if (own !== null) return new URL(own);
  const url = written !== null && URL.canParse(written, base.href) ? new URL(written, base.href) : null;
  if (url === null)
    throw new TokenFault(
      `The document does not say where a program gets a token for ${name}. Whoever runs this can set \`tokenUrl\` in its entry, or a token in \`auth\`.`,
    );
  if (url.origin !== base.origin)
    throw new TokenFault(
      `The document says that tokens come from ${url.origin}, and secrets are sent only where the entry says. Whoever runs this can set \`tokenUrl: ${url.href}\` in it, if that is where they belong.`,
    );
  return url;
}

const NO_PROOF: Proof = { headers: new Map(), query: [], cookies: [] };

function toProof(scheme: Scheme | undefined, value: string | undefined): Proof | null {
  if (scheme === undefined || value === undefined) return null;
  switch (scheme.kind) {
    case "basic":
      return { ...NO_PROOF, headers: new Map([["authorization", `Basic ${toBase64(value)}`]]) };
    case "bearer":
      return { ...NO_PROOF, headers: new Map([["authorization", `Bearer ${value}`]]) };
    case "key":
      if (scheme.place === "header") return { ...NO_PROOF, headers: new Map([[scheme.name.toLowerCase(), value]]) };
      return { ...NO_PROOF, [scheme.place === "query" ? "query" : "cookies"]: [[encode(scheme.name), encode(value)]] };
    case "other":
      return null;
  }
}

function toBase64(value: string): string {
  return Buffer.from(value).toString("base64");
}

function readSchemes(files: ApiFiles): ReadonlyMap<string, Scheme> {
  const root: Located = { file: files.root, pointer: "", value: files.root.root };
  const found = new Map<string, Scheme>();
  for (const [name, written] of membersOf(childOf(childOf(root, "components"), "securitySchemes"))) {
    try {
      const { value } = followReference(written, files);
      if (isRecord(value)) found.set(name, readScheme(value));
    } catch {
      // An operation that requires it is called without it, with a hint if the call fails.
      found.set(name, { kind: "other", type: "unknown" });
    }
  }
  return found;
}

function readScheme({ type, in: place, name, scheme, flows }: Readonly<Record<string, unknown>>): Scheme {
  const where = (["header", "query", "cookie"] as const).find((known) => known === place);
  if (type === "apiKey" && where !== undefined && typeof name === "string") return { kind: "key", place: where, name };
  if (type === "http" && String(scheme).toLowerCase() === "basic") return { kind: "basic" };
  if (type === "http" && String(scheme).toLowerCase() === "bearer") return { kind: "bearer", tokenUrl: null };
  if (type === "oauth2" || type === "openIdConnect") {
    const flow = isRecord(flows) ? flows.clientCredentials : null;
    return { kind: "bearer", tokenUrl: isRecord(flow) && typeof flow.tokenUrl === "string" ? flow.tokenUrl : null };
  }
  return { kind: "other", type: String(type) };
}

function describe(scheme: Scheme | undefined): string {
  switch (scheme?.kind) {
    case "key":
      return `a key in the ${scheme.place} "${scheme.name}"`;
    case "basic":
      return "user:password";
    case "bearer":
      return scheme.tokenUrl === null ? "a bearer token" : "client-id:client-secret, or a bearer token";
    default:
      return scheme?.type ?? "unknown";
  }
}
