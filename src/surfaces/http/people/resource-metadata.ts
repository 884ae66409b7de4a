import { type PeopleRoute, SCOPES } from "../door/people-port.ts";
import { openJson } from "./open-json.ts";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

/** What a client asks a token for: exactly the address that people type (O1). */
export function resourceOf(publicUrl: string): string {
  return `${publicUrl}/mcp`;
}

/** Where the metadata of that address is, as the specification derives it. */
export function metadataOf(publicUrl: string): string {
  return `${publicUrl}${WELL_KNOWN}/mcp`;
}

/** Who gives out tokens for `/mcp` (RFC 9728); some clients look for it without the path (O3). */
export function resourceRoutes(publicUrl: string): ReadonlyMap<string, PeopleRoute> {
  const route = openJson({
    resource: resourceOf(publicUrl),
    authorization_servers: [publicUrl],
    scopes_supported: SCOPES,
    bearer_methods_supported: ["header"],
    resource_name: "Toolcrib",
  });
  return new Map([
    [`${WELL_KNOWN}/mcp`, route],
    [WELL_KNOWN, route],
  ]);
}
