import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { formatOrigin, type NameList } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";

/** Finds the address of a caller, through the proxies that are trusted to say it. */
export type CallerAddress = (request: IncomingMessage) => string;

/** Proxies on the way that are looked at; nobody has more. */
const MOST_HOPS = 20;

/**
 * Only a trusted proxy is believed, and only about who spoke to it: the last address in `X-Forwarded-For` that is none of
 * them. Everything before that can be made up by the caller (O1).
 */
export function createCallerAddress(trusted: NameList | null): CallerAddress {
  const proxies = toProxies(trusted);
  return ({ socket, headers }) => {
    let address = plain(socket.remoteAddress ?? "");
    if (proxies === null || !isTrusted(address, proxies)) return address;
    const { "x-forwarded-for": given = "" } = headers;
    const named = (typeof given === "string" ? given : given.join()).split(",").slice(-MOST_HOPS);
    for (const text of named.reverse()) {
      const next = plain(text.trim());
      if (isIP(next) === 0) return address;
      address = next;
      if (!isTrusted(address, proxies)) return address;
    }
    return address;
  };
}

/** Whether a request comes from this machine itself, and no proxy handed it on. */
export function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const address = plain(socket.remoteAddress ?? "");
  if (address !== "::1" && !/^127\./.test(address)) return false;
  return HANDED_ON.every((name) => headers[name] === undefined);
}

/** Headers that proxies add. */
const HANDED_ON = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/** The part of an address that one caller can choose: the last 64 bits of IPv6 are everybody's own. */
export function toCallerNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail = ""] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === "" ? [] : tail.split(":");
  const groups = [...left, ...Array<string>(Math.max(0, 8 - left.length - right.length)).fill("0"), ...right];
  return `${groups.slice(0, 4).join(":")}::/64`;
}

function toProxies(trusted: NameList | null): BlockList | null {
  if (trusted === null || trusted.value.length === 0) return null;
  const proxies = new BlockList();
  for (const { value, origin } of trusted.value) {
    const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(value) ?? [];
    const version = isIP(address);
    const most = version === 4 ? 32 : 128;
    if (version === 0 || Number(bits ?? most) > most) {
      const text = `${formatOrigin(origin)}: gateway.trustedProxies has ${JSON.stringify(value)}, which is no address or network such as 10.0.0.0/8`;
      throw new ToolcribError("config.invalid", text, { origin });
    }
    proxies.addSubnet(address, Number(bits ?? most), version === 4 ? "ipv4" : "ipv6");
  }
  return proxies;
}

function isTrusted(address: string, proxies: BlockList): boolean {
  const version = isIP(address);
  return version !== 0 && proxies.check(address, version === 4 ? "ipv4" : "ipv6");
}

/** An IPv4 address as such, also where a socket for both kinds names it. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").replace(/%.*$/, "");
}
