import type { JWTVerifyGetKey } from "jose";
import { SYSTEM_CLOCK } from "../../../system/time/clock.ts";
import { askIssuer, checkIssuerAddress } from "./ask-issuer.ts";
import { IssuerProblem } from "./issuer-problem.ts";
import { createKeySet } from "./key-set.ts";

/** The keys of an issuer that gives out tokens but may log nobody in, so that its metadata holds little else. */
export function createIssuerKeys(
  issuer: { readonly issuer: string; readonly jwksUri: string | null },
  now: () => number = SYSTEM_CLOCK.now,
): JWTVerifyGetKey {
  return createKeySet(async () => issuer.jwksUri ?? findKeys(issuer.issuer), now);
}

/** An address elsewhere has to be named in the configuration: what an issuer answers must not lead inside a network. */
async function findKeys(issuer: string): Promise<string> {
  const { status, value } = await askIssuer(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  if (status !== 200) throw new IssuerProblem("wrong", `${issuer} has no metadata (status ${status})`);
  if (value.issuer !== issuer) throw new IssuerProblem("wrong", `${issuer} calls itself by another name`);
  const keys = checkIssuerAddress(value.jwks_uri);
  if (keys.origin === new URL(issuer).origin) return keys.href;
  throw new IssuerProblem("wrong", `${issuer} has its keys elsewhere; name their address as jwksUri`);
}
