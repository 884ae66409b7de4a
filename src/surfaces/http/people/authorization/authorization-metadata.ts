import { CLIENT_PROOFS } from "../../../../runtime/people/registered-clients.ts";
import { SCOPES } from "../../door/people-port.ts";

export const PATHS = {
  metadata: "/.well-known/oauth-authorization-server",
  authorize: "/authorize",
  token: "/token",
  register: "/register",
  revoke: "/revoke",
} as const;

/** What clients read about us (RFC 8414). Only what works is named; without S256 here clients would turn away. */
export function authorizationMetadata(publicUrl: string, hasRegistration: boolean): Readonly<Record<string, unknown>> {
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}${PATHS.authorize}`,
    token_endpoint: `${publicUrl}${PATHS.token}`,
    ...(hasRegistration ? { registration_endpoint: `${publicUrl}${PATHS.register}` } : {}),
    revocation_endpoint: `${publicUrl}${PATHS.revoke}`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: CLIENT_PROOFS,
    revocation_endpoint_auth_methods_supported: CLIENT_PROOFS,
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    scopes_supported: SCOPES,
  };
}
