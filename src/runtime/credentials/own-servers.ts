import type { Config } from "../../config/config.ts";
import type { CredentialKind } from "../../config/shape/credential-shape.ts";
import type { UpstreamServer } from "./contract.ts";

/** Kinds for which people do something themselves: they log in, or enter a key. */
const OWN: ReadonlySet<CredentialKind> = new Set(["person", "key"]);

/** The servers at which people have logins or keys of their own. */
export function serversWithLogins({ servers }: Pick<Config, "servers">): readonly UpstreamServer[] {
  return [...servers.values()].filter(
    ({ credentials, enabled }) => credentials !== null && OWN.has(credentials.kind) && enabled.value,
  );
}
