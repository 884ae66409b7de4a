import { isRecord } from "../../../../core/shape/is-record.ts";
import type { PeopleNote } from "../../../../runtime/people/contract.ts";
import {
  CLIENT_PROOFS,
  type NewClient,
  type RegisteredClients,
} from "../../../../runtime/people/registered-clients.ts";
import { readName, readRedirects } from "./client-document.ts";
import { OAuthFailure } from "./oauth-failure.ts";

export interface RegistrationOptions {
  readonly registered: Pick<RegisteredClients, "register">;
  readonly log: (note: PeopleNote) => void;
}

/** What `/register` answers (RFC 7591). Redirect addresses that cannot be used are left out if others remain. */
export async function answerRegistration(
  body: unknown,
  address: string,
  { registered, log }: RegistrationOptions,
): Promise<object> {
  const client = readClient(body);
  const given = await registered.register(client);
  if (given === null)
    throw new OAuthFailure("temporarily_unavailable", "too many clients have registered here; try again later", 503);
  const { id, secret } = given;
  const text = `${JSON.stringify(client.name)} registered from ${address} as ${id}, for ${client.redirects.join(" ")}`;
  log({ type: "client.registered", text });
  return {
    client_id: id,
    client_id_issued_at: Math.floor(Date.now() / 1000),
    ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: client.name,
    redirect_uris: client.redirects,
    token_endpoint_auth_method: client.proof,
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}

function readClient(body: unknown): NewClient {
  const refuse = (text: string): OAuthFailure => new OAuthFailure("invalid_client_metadata", text);
  if (!isRecord(body)) throw refuse("send a JSON object");
  const redirects = readRedirects(body.redirect_uris);
  if (redirects === null)
    throw new OAuthFailure(
      "invalid_redirect_uri",
      "redirect_uris must list 1 to 20 addresses, with https, or with http on the person's own computer",
    );
  // Without a word RFC 7591 means Basic.
  const { token_endpoint_auth_method: wanted = "client_secret_basic", grant_types: grants } = body;
  const proof = CLIENT_PROOFS.find((each) => each === wanted);
  if (proof === undefined) throw refuse(`token_endpoint_auth_method must be one of ${CLIENT_PROOFS.join(", ")}`);
  if (Array.isArray(grants) && !grants.includes("authorization_code"))
    throw refuse("only clients that use authorization_code can register");
  return { name: readName(body.client_name) ?? "a client without a name", redirects, proof };
}
