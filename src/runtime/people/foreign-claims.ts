import type { AuthConfig } from "../../config/shape/people-shape.ts";
import type { Caller } from "../../core/people/person.ts";
import { readClaims } from "../../core/people/read-claims.ts";
import { revealText } from "../../system/text/reveal-text.ts";
import type { TokenRefusal } from "./token-table.ts";

/** An issuer whose tokens count, as configured. */
export type ForeignIssuer = AuthConfig["issuers"][number];

/** The claims of a token whose signature is right. */
type Claims = Readonly<Record<string, unknown>>;

/** What a token says, once all of it was checked. */
export interface ForeignPass {
  readonly caller: Caller;
  readonly scopes: readonly string[];
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export interface ClaimsExpected {
  readonly issuer: ForeignIssuer;
  /** The gateway's own address, path included. */
  readonly resource: string;
  /** Claims that rules ask about. */
  readonly asked: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Milliseconds by which the issuer's clock may be off. */
const LEEWAY = 60_000;
const SCOPES = ["tools:read", "tools:call"];
const MOST_TEXT = 500;

/** The rest of the checks, in this order and all fatal, of a token that its issuer has signed (O2). */
export function readForeignClaims(claims: Claims, expected: ClaimsExpected): ForeignPass | TokenRefusal {
  const { issuer, resource, now } = expected;
  const audience = toTexts(claims.aud);
  const isOurs = audience.includes(resource) || issuer.audience?.some((alias) => audience.includes(alias)) === true;
  if (!isOurs) return refused(`it is for ${quoteClaim(audience.join(", "))}, not for ${resource}`);
  const times = checkTimes(claims, now);
  if (times !== null) return refused(times);
  const read = readClaims(claims, { issuer: issuer.issuer, groups: issuer.groups, asked: expected.asked });
  if (read === null) return refused("it names no subject");
  const kind = otherKind(claims);
  if (kind !== null) return refused(`it is ${kind}, not an access token`);
  if (claims.cnf !== undefined)
    return refused("it is bound to a key of its bearer (cnf), and nobody has shown that key");
  return {
    caller: { ...read.caller, client: toClientId(claims) },
    scopes: toScopes(claims),
    expires: Number(claims.exp) * 1_000 + LEEWAY,
  };
}

function checkTimes({ exp, nbf, iat }: Claims, now: number): string | null {
  if (!isTime(exp)) return "it has no end (exp)";
  if (now >= exp * 1_000 + LEEWAY) return "it has expired";
  if (nbf !== undefined && (!isTime(nbf) || nbf * 1_000 > now + LEEWAY)) return "it is not valid yet (nbf)";
  if (iat !== undefined && (!isTime(iat) || iat * 1_000 > now + LEEWAY)) return "it was made in the future (iat)";
  return null;
}

/** Tokens that the same issuer signs for other purposes, some of them for the same audience. */
function otherKind({ nonce, at_hash, c_hash, s_hash, typ, events }: Claims): string | null {
  if ([nonce, at_hash, c_hash, s_hash].some((each) => each !== undefined)) return "an ID token";
  if (events !== undefined) return "a message about events";
  // Keycloak says the kind in a claim.
  return typ === undefined || typ === "Bearer" ? null : `of type ${quoteClaim(typ)}`;
}

/** By the names that issuers have for it; none for a service that has no client. */
function toClientId({ client_id, azp, appid, cid }: Claims): string | null {
  return toText(client_id) ?? toText(azp) ?? toText(appid) ?? toText(cid);
}

/** A token that names no scope of ours is not limited by scopes: most issuers do not know them. */
function toScopes({ scope, scp }: Claims): readonly string[] {
  const named = toTexts(scope ?? scp).flatMap((text) => text.split(/\s+/));
  const ours = SCOPES.filter((each) => named.includes(each));
  return ours.length === 0 ? SCOPES : ours;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** Short, and not empty. */
function toText(value: unknown): string | null {
  return typeof value === "string" && value !== "" && value.length <= MOST_TEXT ? value : null;
}

function toTexts(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).flatMap((each) => toText(each) ?? []);
}

/** What a stranger wrote, short and with everything invisible written out. */
export function quoteClaim(value: unknown): string {
  return revealText(JSON.stringify(String(value).slice(0, 100)));
}

function refused(why: string): TokenRefusal {
  return { refused: why };
}
