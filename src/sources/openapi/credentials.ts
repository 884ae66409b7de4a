import { childOf, isObject, type Located, membersOf } from "./api-file.ts";
import type { ApiSpec } from "./api-spec.ts";
import type { Operation } from "./operation.ts";
import { type ApiFiles, follow } from "./references.ts";
import { encode, type Pair } from "./write-value.ts";

/** How a security scheme of a document wants to be met. */
type Scheme =
  | { readonly kind: "key"; readonly place: "header" | "query" | "cookie"; readonly name: string }
  | { readonly kind: "basic" }
  | { readonly kind: "bearer" }
  /** Such as a client's certificate: nothing that an entry could say. */
  | { readonly kind: "other"; readonly type: string };

export interface Proof {
  readonly headers: ReadonlyMap<string, string>;
  readonly query: readonly Pair[];
  readonly cookies: readonly Pair[];
}

/** Who asks, as a document wants to know it and an entry can say it. */
export interface Credentials {
  /** What goes along with a call of the operation. */
  proofFor(operation: Operation): Proof;
  /** Schemes that the operation wants and nothing meets, in words; empty where one alternative is met. */
  missingFor(operation: Operation): readonly string[];
  /** Values that nobody else may read. */
  readonly secrets: readonly string[];
}

export function readCredentials(files: ApiFiles, { auth, headers }: Pick<ApiSpec, "auth" | "headers">): Credentials {
  const schemes = readSchemes(files);
  const values = new Map(Object.entries(auth));
  const sent = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const isMet = (name: string): boolean => {
    const scheme = schemes.get(name);
    if (values.has(name) || scheme === undefined || scheme.kind === "other") return true;
    const header =
      scheme.kind === "key" ? (scheme.place === "header" ? scheme.name.toLowerCase() : null) : "authorization";
    return header !== null && sent.has(header);
  };
  return {
    proofFor({ security }) {
      const chosen = security.find((names) => names.every(isMet)) ?? [];
      const proofs = chosen.flatMap((name) => toProof(schemes.get(name), values.get(name)) ?? []);
      return {
        headers: new Map(proofs.flatMap((proof) => [...proof.headers])),
        query: proofs.flatMap(({ query }) => query),
        cookies: proofs.flatMap(({ cookies }) => cookies),
      };
    },
    missingFor({ security }) {
      if (security.length === 0 || security.some((names) => names.every(isMet))) return [];
      const missing = new Set(security.flatMap((names) => names.filter((name) => !isMet(name))));
      return [...missing].map((name) => `${name} (${describe(schemes.get(name))})`);
    },
    secrets: [...values].flatMap(([name, value]) => {
      const basic = schemes.get(name)?.kind === "basic" ? [toBase64(value)] : [];
      return [value, encode(value), ...basic];
    }),
  };
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
      const { value } = follow(written, files);
      if (isObject(value)) found.set(name, readScheme(value));
    } catch {
      // An operation that wants it is called without it, and told so where that does not do.
      found.set(name, { kind: "other", type: "unknown" });
    }
  }
  return found;
}

function readScheme({ type, in: place, name, scheme }: Readonly<Record<string, unknown>>): Scheme {
  const where = (["header", "query", "cookie"] as const).find((known) => known === place);
  if (type === "apiKey" && where !== undefined && typeof name === "string") return { kind: "key", place: where, name };
  if (type === "http" && String(scheme).toLowerCase() === "basic") return { kind: "basic" };
  if (type === "http" && String(scheme).toLowerCase() === "bearer") return { kind: "bearer" };
  // Whoever has a token may use it, however it was got.
  if (type === "oauth2" || type === "openIdConnect") return { kind: "bearer" };
  return { kind: "other", type: String(type) };
}

function describe(scheme: Scheme | undefined): string {
  switch (scheme?.kind) {
    case "key":
      return `a key in the ${scheme.place} "${scheme.name}"`;
    case "basic":
      return "user:password";
    case "bearer":
      return "a bearer token";
    default:
      return scheme?.type ?? "unknown";
  }
}
