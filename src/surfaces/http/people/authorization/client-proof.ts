import type { IncomingMessage } from "node:http";
import type { RegisteredClients } from "../../../../runtime/people/registered-clients.ts";
import type { KnownClients } from "./known-clients.ts";
import { OAuthFailure } from "./oauth-failure.ts";

export interface ProofOptions {
  readonly clients: KnownClients;
  readonly registered: RegisteredClients;
}

/**
 * Which client sends a form: by a secret if it has one, otherwise by its id alone, and then its codes and tokens are
 * bound to it (PKCE, rotation). One that is not known any more is told so, and registers again.
 */
export async function proveClient(
  { headers }: Pick<IncomingMessage, "headers">,
  form: ReadonlyMap<string, string>,
  { clients, registered }: ProofOptions,
): Promise<string> {
  const basic = readBasic(headers.authorization);
  const refuse = (text: string): OAuthFailure =>
    new OAuthFailure("invalid_client", text, 401, { "www-authenticate": 'Basic realm="toolcrib", charset="UTF-8"' });
  if (basic !== null && form.has("client_secret"))
    throw new OAuthFailure("invalid_request", "the client authenticates in two ways; use one");
  const id = basic?.id ?? form.get("client_id") ?? "";
  if (id === "") throw refuse("client_id is missing");
  if ((form.get("client_id") ?? id) !== id) throw refuse("client_id is not the client that authenticates");
  const secret = basic?.secret ?? form.get("client_secret") ?? "";
  if (clients.isDocument(id)) {
    if (secret !== "") throw refuse("a client with a document has no secret");
  } else {
    const client = await registered.find(id);
    if (client === null) throw refuse("the client is not registered here, or not any more");
    if (client.proof === "none" ? secret !== "" : !(await registered.isSecret(id, secret)))
      throw refuse("the secret of the client is wrong");
    await registered.touch(id);
  }
  const refusal = await clients.refusal(id);
  if (refusal !== null) throw new OAuthFailure("unauthorized_client", refusal);
  return id;
}

/** As RFC 6749 says: both parts are encoded like fields of a form. */
function readBasic(authorization: string | undefined): { readonly id: string; readonly secret: string } | null {
  const [, encoded] = /^basic +([\w+/=-]+) *$/i.exec(authorization ?? "") ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const at = text.indexOf(":");
  if (at === -1) return null;
  const decode = (part: string): string => new URLSearchParams(`x=${part.replaceAll("&", "%26")}`).get("x") ?? "";
  return { id: decode(text.slice(0, at)), secret: decode(text.slice(at + 1)) };
}
