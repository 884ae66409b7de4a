import { createHash } from "node:crypto";
import { isRecord } from "../../core/shape/is-record.ts";
import type { Registrations } from "../../sources/mcp/oauth/auth-client.ts";
import type { PeoplePlace, Sealer } from "../people/contract.ts";
import { peopleValues } from "../people/people-values.ts";

interface StoredClient {
  readonly clientId: string;
  readonly sealed: string | null;
  readonly until: number;
}

/**
 * Milliseconds. An authorization server may forget a client, and would show that to the person alone; so that nobody has
 * to wait long until another one is registered.
 */
const KEPT = 86_400_000;

/** Clients that the gateway has registered for logins at this server. */
export type UpstreamClients = (server: URL) => Registrations;

/** One for everybody, and not one for each login. */
export function createUpstreamClients(
  place: PeoplePlace,
  sealer: Sealer,
  now: () => number = Date.now,
): UpstreamClients {
  const values = peopleValues(place, "people.upstream-clients");
  return ({ origin }) => {
    const about = (issuer: string, redirect: string, clientId: string) => [
      "upstream client",
      ...[place.scope, origin, issuer, redirect, clientId],
    ];
    const keyOf = (issuer: string, redirect: string) =>
      createHash("sha256")
        .update(JSON.stringify([origin, issuer, redirect]))
        .digest("base64url");
    return {
      async find(issuer, redirect) {
        const known = fromStored(await values.get(keyOf(issuer, redirect)));
        if (known === null || now() >= known.until) return null;
        const { clientId, sealed } = known;
        if (sealed === null) return { clientId, clientSecret: null };
        const clientSecret = sealer.open(sealed, about(issuer, redirect, clientId));
        return clientSecret === null ? null : { clientId, clientSecret };
      },
      keep: (issuer, redirect, { clientId, clientSecret }) =>
        values.change(keyOf(issuer, redirect), (): StoredClient => {
          const sealed = clientSecret === null ? null : sealer.seal(clientSecret, about(issuer, redirect, clientId));
          return { clientId, sealed, until: now() + KEPT };
        }),
    };
  };
}

function fromStored(value: unknown): StoredClient | null {
  if (!isRecord(value) || typeof value.clientId !== "string" || typeof value.until !== "number") return null;
  return value as unknown as StoredClient; // As `keep` writes it.
}
