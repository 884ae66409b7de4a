import { lookup as lookupName } from "node:dns/promises";
import { isIP } from "node:net";
import { untilAborted } from "../time/until-aborted.ts";
import { AddressRefusal } from "./address-refusal.ts";
import { isPublicAddress } from "./is-public-address.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** All addresses of a name. */
type LookupAddresses = (host: string) => Promise<readonly ResolvedAddress[]>;

/** Whether a connection to this address of `host` is allowed. */
type AddressPolicy = (address: string, host: string) => boolean;

/** Decides where connections may go; tests replace the network here. */
export interface Reach {
  readonly lookup: LookupAddresses;
  readonly isAllowed: AddressPolicy;
}

/** A URL with its checked addresses. Connect to these, and never look the name up again. */
export interface PublicTarget {
  readonly url: URL;
  readonly addresses: readonly [ResolvedAddress, ...ResolvedAddress[]];
}

export const PUBLIC_REACH: Reach = {
  lookup: async (host) => {
    const found = await lookupName(host, { all: true, order: "verbatim" });
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  },
  isAllowed: (address) => isPublicAddress(address),
};

/** Names of this machine or its network, whatever a resolver says about them. */
const LOCAL_NAMES = ["localhost", "localdomain", "local", "internal", "intranet", "lan", "home.arpa", "corp", "home"];

/**
 * Checks where a URL leads: only http and https, no credentials, no local name, and all addresses of the host public.
 * Different spellings (decimal, octal, hexadecimal, short, percent-encoded, full-width, IPv4 in IPv6) do not matter,
 * because the URL parser normalises them.
 */
export async function resolvePublic(
  input: string | URL,
  { lookup, isAllowed }: Reach,
  signal: AbortSignal,
): Promise<PublicTarget> {
  const url = parseWebUrl(input);
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  const family = isIP(host);
  if (family === 0 && isLocalName(host)) throw notPublic(url);
  signal.throwIfAborted();
  const addresses =
    family === 0
      ? await untilAborted(
          lookup(host).catch(() => []),
          signal,
        )
      : [{ address: host, family: family === 6 ? 6 : 4 } as const];
  const [first, ...others] = addresses;
  if (first === undefined) throw new AddressRefusal("unknown-host", `The host ${url.hostname} cannot be found.`);
  if (!addresses.every(({ address }) => isAllowed(address, host))) throw notPublic(url);
  return { url, addresses: [first, ...others] };
}

function parseWebUrl(input: string | URL): URL {
  const url = URL.canParse(String(input)) ? new URL(input) : null;
  if (url === null) throw new AddressRefusal("invalid-url", "This is not a URL; give one that starts with https://.");
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new AddressRefusal("scheme", `Only http and https can be fetched, not ${url.protocol}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new AddressRefusal("credentials", "URLs with a user name or password in them are not fetched.");
  }
  return url;
}

function isLocalName(host: string): boolean {
  return host === "" || LOCAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}

function notPublic(url: URL): AddressRefusal {
  return new AddressRefusal("private", `${url.hostname} is not a public address; only public ones are fetched.`);
}
