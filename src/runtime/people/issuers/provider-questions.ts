import type { JWTPayload } from "jose";
import type { AuthConfig } from "../../../config/shape/people-shape.ts";
import { askIssuer, type IssuerAnswer } from "./ask-issuer.ts";
import { IssuerProblem } from "./issuer-problem.ts";
import { createKeySet } from "./key-set.ts";
import { createMetadata, type KeptMetadata } from "./metadata.ts";

/** What an identity provider is asked about people, and whether what it signs is right. All throws an `IssuerProblem`. */
export interface ProviderQuestions {
  readonly metadata: KeptMetadata;
  /** The claims of a token for us; with an age, in seconds, none that is older. */
  verify(token: unknown, age?: number): Promise<JWTPayload>;
  /** The answer to these fields at the token endpoint. */
  askForTokens(fields: Readonly<Record<string, string>>): Promise<IssuerAnswer["value"]>;
  /** What the ID token leaves out; null if there is nothing to ask. */
  askUserinfo(accessToken: unknown, subject: unknown): Promise<IssuerAnswer["value"] | null>;
}

/** No shared secrets: a client's secret is not worth as much as a provider's key. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** Seconds by which clocks may differ. */
const TOLERANCE = 60;

export function createProviderQuestions(
  { issuer, clientId, clientSecret }: Pick<NonNullable<AuthConfig["login"]>, "issuer" | "clientId" | "clientSecret">,
  now: () => number,
): ProviderQuestions {
  const metadata = createMetadata(issuer);
  const keys = createKeySet(async () => (await metadata.get()).jwksUri);
  const verify = async (token: unknown, maxTokenAge?: number): Promise<JWTPayload> => {
    const { jwtVerify, errors } = await import("jose");
    if (typeof token !== "string") throw new IssuerProblem("wrong", `${issuer} sent no token where one belongs`);
    try {
      const checks = { issuer, audience: clientId, algorithms: ALGORITHMS, clockTolerance: TOLERANCE };
      const age = maxTokenAge === undefined ? {} : { maxTokenAge };
      const required = { requiredClaims: ["iat", "exp"], currentDate: new Date(now()) };
      const { payload } = await jwtVerify(token, keys, { ...checks, ...age, ...required });
      if ((payload.iat ?? 0) * 1_000 > now() + TOLERANCE * 1_000)
        throw new IssuerProblem("wrong", `a token of ${issuer} was made in the future; one of the clocks is wrong`);
      if (payload.azp !== undefined && payload.azp !== clientId)
        throw new IssuerProblem("wrong", "a token was made for another client (azp)");
      return payload;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      throw new IssuerProblem("wrong", `a token of ${issuer} does not count: ${error.message}`, { cause: error });
    }
  };

  const askForTokens = async (fields: Readonly<Record<string, string>>): Promise<IssuerAnswer["value"]> => {
    const { tokenEndpoint, authMethods } = await metadata.get();
    const form = new URLSearchParams(fields);
    const headers: Record<string, string> = {};
    if (clientSecret === null) form.set("client_id", clientId);
    else if (authMethods.includes("client_secret_basic") || !authMethods.includes("client_secret_post"))
      headers.authorization = basic(clientId, clientSecret);
    else {
      form.set("client_id", clientId);
      form.set("client_secret", clientSecret);
    }
    const answer = await askIssuer(tokenEndpoint, { form, headers });
    if (answer.status === 200) return answer.value;
    const said = errorCodeOf(answer.value.error);
    // Only this is about the person: any other refusal is about us.
    const kind = said === "invalid_grant" ? "refused" : "wrong";
    throw new IssuerProblem(kind, `${issuer} gave no tokens: ${said ?? `status ${answer.status}`}`, { said });
  };

  /** What the ID token leaves out. Null if there is nothing to ask. */
  const askUserinfo = async (accessToken: unknown, subject: unknown): Promise<IssuerAnswer["value"] | null> => {
    const { userinfoEndpoint } = await metadata.get();
    if (userinfoEndpoint === null || typeof accessToken !== "string") return null;
    const { status, value } = await askIssuer(userinfoEndpoint, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    if (status === 401 || status === 403) throw new IssuerProblem("refused", `${issuer} says nothing about the person`);
    if (status !== 200) throw new IssuerProblem("wrong", `${issuer} says nothing about the person (status ${status})`);
    if (subject !== undefined && value.sub !== subject)
      throw new IssuerProblem("wrong", `${issuer} answered about another person`);
    return value;
  };
  return { metadata, verify, askForTokens, askUserinfo };
}

function basic(id: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString("base64")}`;
}

/** A code of the standard; whatever else was sent is for nobody. */
export function errorCodeOf(value: unknown): string | null {
  return typeof value === "string" && /^[\w.-]{1,60}$/.test(value) ? value : null;
}
