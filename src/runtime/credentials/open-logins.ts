import { createLoginAsker, type LoginAsker } from "./ask-login.ts";
import { type ConnectAttempts, createConnectAttempts } from "./connect-attempts.ts";
import { type ConnectLinks, type ConnectLinksOptions, createConnectLinks } from "./connect-links.ts";
import type { Upstream } from "./open-upstream.ts";
import { createUpstreamClients, type UpstreamClients } from "./upstream-clients.ts";

/** How people come to have logins at servers: who asks them, and what pages work with. */
export interface Logins {
  readonly asker: LoginAsker;
  readonly links: ConnectLinks;
  readonly attempts: ConnectAttempts;
  readonly clients: UpstreamClients;
  close(): void;
}

export function openLogins(
  options: ConnectLinksOptions & { readonly upstream: Pick<Upstream, "credentials" | "sealer"> },
): Logins {
  const { place, upstream, now = Date.now } = options;
  const { credentials, sealer } = upstream;
  const links = createConnectLinks(options);
  const asker = createLoginAsker({ links, credentials });
  const attempts = createConnectAttempts(place, sealer, now);
  return { asker, links, attempts, clients: createUpstreamClients(place, sealer, now), close: asker.close };
}
