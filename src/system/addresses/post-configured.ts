import { lookup as lookupName } from "node:dns";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { addPiece } from "../rpc/add-piece.ts";
import { AddressRefusal } from "./address-refusal.ts";

interface ConfiguredPost {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

interface ConfiguredAnswer {
  readonly status: number;
  readonly text: string;
  /** Milliseconds after which it wants to be asked again; null if it does not say. */
  readonly retryAfter: number | null;
}

/** Milliseconds, for all of an answer. */
const PATIENCE = 10_000;
const MOST_BYTES = 256 * 1024;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Sends something to an address that the configuration names, which may be one of the company's own network. Only with
 * TLS, unless it is on this machine; never to addresses that a machine has for itself, such as a cloud's metadata.
 * Redirects are not followed: what is sent is for this address alone.
 */
export async function postConfigured(
  address: string,
  { body, headers, signal: outer }: ConfiguredPost,
): Promise<ConfiguredAnswer> {
  const url = checkConfigured(address);
  const signal = AbortSignal.any([outer, AbortSignal.timeout(PATIENCE)]);
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const sized = { ...headers, "content-length": String(Buffer.byteLength(body)) };
    const request = send(url, { method: "POST", headers: sized, signal, lookup: onlyOthers, agent: false });
    request.once("response", resolve);
    request.once("error", reject);
    request.end(body);
  });
  return {
    status: message.statusCode ?? 0,
    text: await readSmall(message, url),
    retryAfter: toMilliseconds(message.headers["retry-after"]),
  };
}

function checkConfigured(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null) throw new AddressRefusal("invalid-url", "The configured address is not one.");
  const { protocol, hostname, username, password } = url;
  if (protocol !== "https:" && !(protocol === "http:" && LOOPBACK.test(hostname)))
    throw new AddressRefusal("scheme", `${url.host} is not an https address.`);
  if (username !== "" || password !== "")
    throw new AddressRefusal("credentials", `The address at ${url.host} has a user name in it.`);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && isOwn(host)) throw notForOthers(host);
  return url;
}

/** Looks a name up, and connects to none of it if one of its addresses is not for others. */
const onlyOthers: LookupFunction = (host, options, answer) => {
  lookupName(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return answer(error, "");
    const [first] = found;
    if (first === undefined || found.some(({ address }) => isOwn(address))) return answer(notForOthers(host), "");
    if (options.all === true) answer(null, found);
    else answer(null, first.address, first.family);
  });
};

/** What a machine has for itself: link-local addresses with clouds' metadata, and addresses of nobody. */
const OWN = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
  ["168.63.129.16", 32],
  ["100.100.100.200", 32],
  ["192.0.0.0", 24],
  ["224.0.0.0", 3],
] as const)
  OWN.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 128],
  ["fe80::", 10],
  ["fd00:ec2::254", 128],
  ["ff00::", 8],
] as const)
  OWN.addSubnet(network, prefix, "ipv6");

function isOwn(address: string): boolean {
  const bare = address.replace(/%.*$/, "");
  // IPv4 in IPv6 is compared as IPv4 by the list itself.
  return OWN.check(bare, isIP(bare) === 6 ? "ipv6" : "ipv4");
}

function notForOthers(host: string): AddressRefusal {
  return new AddressRefusal("private", `${host} leads to an address that a machine has for itself.`);
}

async function readSmall(message: IncomingMessage, { host }: URL): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of message) {
    size += part.length;
    if (size > MOST_BYTES) {
      message.destroy();
      throw new Error(`${host} answered with more than ${MOST_BYTES} bytes`);
    }
    addPiece(parts, part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function toMilliseconds(seconds: string | undefined): number | null {
  return seconds !== undefined && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : null;
}
