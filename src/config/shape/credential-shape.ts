import type { Origin } from "../../core/codes/origin.ts";
import { type ConfigNode, isNull, nodeAt } from "../../core/shape/node.ts";
import { choice, either, type Flaw, list, number, record, text, to } from "../../core/shape/shape.ts";

/** How people of a gateway are known at an upstream server (O10). */
const CREDENTIAL_KINDS = ["none", "shared", "person", "key", "exchange", "signed"] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

export type CredentialConfig = { readonly origin: Origin } & (
  | { readonly kind: "none" }
  | { readonly kind: "shared" }
  | { readonly kind: "person" }
  | KeyCredential
  | ExchangeCredential
  | SignedCredential
);

/** A key that each person makes at the server and enters on the gateway's page. */
interface KeyCredential {
  readonly kind: "key";
  /** In lower case. */
  readonly header: string;
  readonly prefix: string;
  /** The variable of a process that gets it in place of a header; null for a server with an address. */
  readonly variable: string | null;
  /** Where people make one, in words or as an address. */
  readonly hint: string | null;
}

/** A token that an issuer gives in exchange for the person's own. */
export interface ExchangeCredential {
  readonly kind: "exchange";
  readonly form: "rfc8693" | "entra";
  readonly subject: "access" | "id";
  readonly audience: string | null;
  readonly resource: string | null;
  readonly scopes: readonly string[];
  /** Another client than that of `gateway.auth.login`, which it takes to exchange tokens of another issuer. */
  readonly client: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string | null;
  } | null;
}

/** A short statement of the gateway about who asks, signed by it. */
export interface SignedCredential {
  readonly kind: "signed";
  /** Null: the server's own address. */
  readonly audience: string | null;
  /** Milliseconds. */
  readonly lifetime: number;
  readonly algorithm: "ES256" | "EdDSA";
}

const FIELDS = {
  kind: choice(CREDENTIAL_KINDS, { about: "which of them", required: true }),
  header: text({ about: "`key`: the header that carries it; `authorization` by default", valid: checkHeader }),
  prefix: text({
    about: "`key`: what stands before it in the header; `Bearer ` in `authorization`, nothing in others",
    blank: true,
  }),
  variable: text({ about: "`key`: the variable of a server's process that gets it", valid: checkVariable }),
  hint: text({ about: "`key`: where people make one, shown where they enter it" }),
  form: choice(["rfc8693", "entra"], {
    about: "`exchange`: as RFC 8693 says, or Entra's on-behalf-of; `rfc8693` by default",
  }),
  subject: choice(["access", "id"], {
    about: "`exchange`: the token of the person's login that is exchanged; `access` by default",
  }),
  audience: text({ about: "`exchange`, `signed`: for whom the token is; `signed`: the server's address by default" }),
  resource: text({ about: "`exchange`: the resource it is for (RFC 8707)" }),
  scopes: list(text(), { about: "`exchange`: scopes to ask for" }),
  issuer: text({ about: "`exchange`: who exchanges it; by default where people log in" }),
  clientId: text({ about: "`exchange`: id of the gateway there, if `issuer` is given", expands: true }),
  clientSecret: text({ about: "`exchange`: its secret there", expands: true, secret: "all" }),
  lifetime: number(10_000, { about: "`signed`: milliseconds that it counts; 300000 by default", most: 3_600_000 }),
  algorithm: choice(["ES256", "EdDSA"], { about: "`signed`: how it is signed; `ES256` by default" }),
};

const ALLOWED: Readonly<Record<CredentialKind, readonly string[]>> = {
  none: [],
  shared: [],
  person: [],
  key: ["header", "prefix", "variable", "hint"],
  exchange: ["form", "subject", "audience", "resource", "scopes", "issuer", "clientId", "clientSecret"],
  signed: ["audience", "lifetime", "algorithm"],
};

/** A word, or a record with what its kind needs. */
export const credentials = to(
  either([choice(CREDENTIAL_KINDS, { valid: checkFields }), record(FIELDS, { valid: checkFields })], {
    about:
      "who people of a gateway are at this server: `shared` (its headers or a login of this machine; the default), `none`, `person` (each with a login of their own), `key` (each with a key of their own), `exchange` (a token in exchange for theirs) or `signed` (a statement that the gateway signs)",
  }),
  (written, { node: { origin } }): CredentialConfig => {
    const fields = typeof written === "string" ? { ...NO_FIELDS, kind: written } : written;
    const { kind, audience } = fields;
    if (kind === "key") {
      const { header: name, prefix: before, variable, hint } = fields;
      const header = (name ?? AUTHORIZATION).toLowerCase();
      return { origin, kind, header, prefix: before ?? (header === AUTHORIZATION ? "Bearer " : ""), variable, hint };
    }
    if (kind === "exchange") {
      const { form, subject, resource, scopes, issuer, clientId, clientSecret } = fields;
      const client = issuer === null || clientId === null ? null : { issuer, clientId, clientSecret };
      const wish = { audience, resource, scopes: scopes ?? [], client };
      return { origin, kind, form: form ?? "rfc8693", subject: subject ?? "access", ...wish };
    }
    if (kind !== "signed") return { origin, kind };
    return { origin, kind, audience, lifetime: fields.lifetime ?? LIFETIME, algorithm: fields.algorithm ?? "ES256" };
  },
);

const AUTHORIZATION = "authorization";
/** Milliseconds. */
const LIFETIME = 300_000;
const NO_FIELDS = {
  ...{ header: null, prefix: null, variable: null, hint: null, form: null, subject: null, audience: null },
  ...{
    resource: null,
    scopes: null,
    issuer: null,
    clientId: null,
    clientSecret: null,
    lifetime: null,
    algorithm: null,
  },
};

/** What stands in an entry beside its `credentials` and contradicts them. */
export function checkCredentials(entry: ConfigNode): Flaw | null {
  const written = nodeAt(entry, "credentials");
  const kind = kindOf(written);
  if (written === undefined || kind === null) return null;
  const { origin } = written;
  const has = (key: string): boolean => !isNull(nodeAt(written, key));
  const isOwn = kind !== "none" && kind !== "shared";
  const isProcess = isNull(nodeAt(entry, "url")) && isNull(nodeAt(entry, "spec"));
  if (isProcess && isOwn && !(kind === "key" && has("variable")))
    return {
      text: `says credentials: ${kind}, and a process has only a key of each person, in a \`variable\``,
      origin,
    };
  // Where the document says it is, somebody else decides where people's tokens go.
  if (isOwn && !isNull(nodeAt(entry, "spec")) && isNull(nodeAt(entry, "baseUrl")))
    return { text: `says credentials: ${kind}, which need a baseUrl`, origin };
  if (!isProcess && has("variable"))
    return { text: "says credentials.variable, which is for a server with a command", origin };
  if (isProcess && has("header"))
    return { text: "says credentials.header, which is for a server with an address", origin };
  // It would prove to the server that everybody is one caller, and strangers too.
  if (kind !== "shared" && !isNull(nodeAt(entry, "auth")))
    return { text: `says credentials: ${kind}, and its auth says who everybody is; leave one of them out`, origin };
  const header = kind === "key" ? (textOf(nodeAt(written, "header")) ?? AUTHORIZATION) : AUTHORIZATION;
  const headers = nodeAt(entry, "headers");
  const isTaken = headers?.kind === "map" && [...headers.entries.keys()].some((name) => isSame(name, header));
  if (kind === "shared" || !isTaken) return null;
  return {
    text: `says credentials: ${kind}, and its headers say ${header} for everybody; leave one of them out`,
    origin,
  };
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function kindOf(node: ConfigNode | undefined): CredentialKind | null {
  const text = textOf(node?.kind === "map" ? nodeAt(node, "kind") : node);
  return CREDENTIAL_KINDS.find((kind) => kind === text) ?? null;
}

function textOf(node: ConfigNode | undefined): string | null {
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : null;
}

function checkFields(node: ConfigNode): Flaw | null {
  const kind = kindOf(node);
  if (kind === null) return null;
  const given = node.kind === "map" ? [...node.entries].filter(([, value]) => !isNull(value)).map(([key]) => key) : [];
  const odd = given.find((key) => key !== "kind" && Object.hasOwn(FIELDS, key) && !ALLOWED[kind].includes(key));
  if (odd !== undefined) return { text: `is ${kind}, which has no ${odd}` };
  if (kind !== "exchange") return null;
  if (!["audience", "resource", "scopes"].some((key) => given.includes(key)))
    return { text: "is exchange, and says for what the token is to be: give an audience, a resource or scopes" };
  const isEntra = textOf(nodeAt(node, "form")) === "entra";
  if (isEntra && !given.includes("scopes"))
    return { text: "is exchange in the form entra, which needs scopes, such as api://ID/.default" };
  return given.includes("issuer") === given.includes("clientId")
    ? null
    : { text: "has only one of issuer and clientId; another issuer needs both" };
}

function checkHeader(node: ConfigNode): Flaw | null {
  return /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(textOf(node) ?? "") ? null : { text: "is no name of a header" };
}

function checkVariable(node: ConfigNode): Flaw | null {
  return /^[A-Za-z_]\w{0,100}$/.test(textOf(node) ?? "") ? null : { text: "is no name of a variable" };
}
