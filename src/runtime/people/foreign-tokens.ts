import type { AuthConfig } from "../../config/shape/people-shape.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { describePerson } from "../../core/people/person.ts";
import { isRecord } from "../../core/shape/is-record.ts";
import { parseJson } from "../../core/shape/parse-json.ts";
import type { Pass, PeopleRows } from "./contract.ts";
import { type ForeignIssuer, quoteClaim, readForeignClaims } from "./foreign-claims.ts";
import { createIssuerKeys } from "./issuers/issuer-keys.ts";
import { IssuerProblem } from "./issuers/issuer-problem.ts";
import type { TokenRefusal } from "./token-table.ts";

/** Tokens that other issuers sign, as JWTs (O2). */
export interface ForeignTokens {
  /** Throws `people.issuer-away` or `store.unavailable` if nobody can say whether a token counts. */
  find(token: string): Promise<Pass | TokenRefusal>;
  /** Takes over a changed configuration; true if tokens have to be looked at again. */
  setAuth(auth: AuthConfig | null): boolean;
}

export interface ForeignTokensOptions {
  readonly auth: AuthConfig | null;
  /** The gateway's own address, path included. */
  readonly resource: string;
  readonly people: Pick<PeopleRows, "find" | "note">;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

type JsonObject = Readonly<Record<string, unknown>>;
type IssuerKeys = ReturnType<typeof createIssuerKeys>;

interface KnownIssuer {
  readonly issuer: ForeignIssuer;
  readonly keys: IssuerKeys;
}

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MOST_CHARACTERS = 16 * 1_024;
/** RFC 9068, what most issuers write, and what Kubernetes leaves out. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, "at+jwt", "application/at+jwt", "jwt"]);

/** Whether a token is one that another issuer may have signed; ours have no dots. */
export function isForeign(token: string): boolean {
  return COMPACT.test(token);
}

export function createForeignTokens(options: ForeignTokensOptions): ForeignTokens {
  const { resource, people, now = Date.now } = options;
  let issuers = toIssuers(options.auth, new Map(), now);
  let asked = toAskedClaims(options.auth);

  /** Those whose access has ended, and those who were never here. */
  const comeIn = async (pass: Pass): Promise<Pass | TokenRefusal> => {
    const row = await people.find(pass.caller);
    if (row === null) await people.note(pass.caller);
    if (row === null || row.ended === null) return pass;
    return { refused: `the access of ${describePerson(pass.caller)} was ended by ${row.ended.by}` };
  };

  return {
    async find(token) {
      const signed = readSigned(token, issuers);
      if ("refused" in signed) return signed;
      const { known, header, payload } = signed;
      const refused = await verify(token, known).catch((error: unknown) => toRefusal(error, known.issuer, header));
      if (refused !== null) return refused;
      const found = readForeignClaims(payload, { issuer: known.issuer, resource, asked, now: now() });
      if ("refused" in found) return found;
      return comeIn({ ...found, authorization: "" });
    },
    setAuth(auth) {
      const before = [issuers, asked] as const;
      issuers = toIssuers(auth, issuers, now);
      asked = toAskedClaims(auth);
      return written(issuers, asked) !== written(...before);
    },
  };
}

interface Signed {
  readonly known: KnownIssuer;
  readonly header: JsonObject;
  /** Not to be believed before the signature is checked. */
  readonly payload: JsonObject;
}

/** What can be said before any key is looked for: nothing of it may lead to a file or an address. */
function readSigned(token: string, issuers: ReadonlyMap<string, KnownIssuer>): Signed | TokenRefusal {
  if (token.length > MOST_CHARACTERS) return { refused: "it is longer than 16 KB" };
  const [head = "", body = ""] = token.split(".");
  const [header, payload] = [decode(head), decode(body)];
  if (header === null || payload === null) return { refused: "it is no JWT" };
  const { alg, crit, typ } = header;
  if (typeof alg !== "string" || !/^(?:[RPE]S\d{3}|EdDSA)$/.test(alg))
    return { refused: `it is signed with ${quoteClaim(alg)}, which never counts` };
  if (crit !== undefined) return { refused: "it asks for an extension (crit)" };
  if (!TYPES.has(typeof typ === "string" ? typ.toLowerCase() : typ))
    return { refused: `it is of type ${quoteClaim(typ)}` };
  const known = typeof payload.iss === "string" ? issuers.get(payload.iss) : undefined;
  if (known === undefined) return { refused: `its issuer ${quoteClaim(payload.iss)} is none of gateway.auth.issuers` };
  if (!known.issuer.algorithms.some((each) => each === alg))
    return { refused: `it is signed with ${quoteClaim(alg)}, and its issuer's algorithms are others` };
  return { known, header, payload };
}

/** Throws unless the issuer has signed exactly these bytes. */
async function verify(token: string, { issuer, keys }: KnownIssuer): Promise<null> {
  const { compactVerify } = await import("jose");
  await compactVerify(token, keys, { algorithms: [...issuer.algorithms] });
  return null;
}

function toRefusal(error: unknown, { issuer }: ForeignIssuer, { kid }: Signed["header"]): TokenRefusal {
  if (error instanceof IssuerProblem) {
    if (error.kind !== "away") return { refused: error.message };
    const text = `the keys of ${issuer} cannot be had, so nobody can say whether a token of it counts`;
    throw new ToolcribError("people.issuer-away", text, { names: [issuer], cause: error });
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ERR_JWS_SIGNATURE_VERIFICATION_FAILED") return { refused: "its signature is wrong" };
  if (code.startsWith("ERR_J")) return { refused: `no key of ${issuer} fits it (key ${quoteClaim(kid)})` };
  // A key that cannot be used is the issuer's mistake, or an attack: either way nobody comes in with it.
  if (error instanceof TypeError || error instanceof DOMException)
    return { refused: `a key of ${issuer} cannot be used` };
  throw error;
}

function toIssuers(
  auth: AuthConfig | null,
  before: ReadonlyMap<string, KnownIssuer>,
  now: () => number,
): ReadonlyMap<string, KnownIssuer> {
  return new Map(
    (auth?.issuers ?? []).map((issuer) => {
      const known = before.get(issuer.issuer);
      const keys =
        known !== undefined && known.issuer.jwksUri === issuer.jwksUri ? known.keys : createIssuerKeys(issuer, now);
      return [issuer.issuer, { issuer, keys }];
    }),
  );
}

/** The claims that rules ask about: no more of a person is kept. */
function toAskedClaims(auth: AuthConfig | null): readonly string[] {
  return [...new Set((auth?.people ?? []).flatMap((rule) => [...rule.claims.keys()]))].sort();
}

function written(issuers: ReadonlyMap<string, KnownIssuer>, asked: readonly string[]): string {
  const plain = [...issuers.values()].map(({ issuer: { origin: _, ...issuer } }) => issuer);
  return JSON.stringify([plain, asked]);
}

function decode(part: string): JsonObject | null {
  const value = parseJson(Buffer.from(part, "base64url").toString("utf8"));
  return isRecord(value) ? value : null;
}
