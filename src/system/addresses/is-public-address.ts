import { BlockList, isIP } from "node:net";

/** Why an IPv4 address is not public, by range (IANA special-purpose registry, and cloud metadata services). */
const IPV4_RANGES = [
  ["0.0.0.0/8", "this network"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "carrier-grade NAT"],
  ["127.0.0.0/8", "loopback"],
  ["169.254.0.0/16", "link-local, metadata"],
  ["168.63.129.16/32", "metadata"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "protocol assignments, metadata"],
  ["192.0.2.0/24", "documentation"],
  ["192.88.99.0/24", "6to4 relay"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved, broadcast"],
] as const;

/** Inside 2000::/3, the only global unicast space; everything outside it is refused as a whole. */
const IPV6_RANGES = [
  ["2001::/23", "protocol assignments, Teredo, ORCHID"],
  ["2001:db8::/32", "documentation"],
  ["2002::/16", "6to4"],
  ["3fff::/20", "documentation"],
] as const;

/** Prefixes of 96 bits followed by an IPv4 address, which then decides. */
const EMBEDDING_PREFIXES: readonly bigint[] = [
  0xffffn, // ::ffff:0:0/96, IPv4-mapped
  0x64_ff9b_0000_0000_0000_0000n, // 64:ff9b::/96, NAT64
];

const REFUSED_V4 = toBlockList(IPV4_RANGES, "ipv4");
const REFUSED_V6 = toBlockList(IPV6_RANGES, "ipv6");
const GLOBAL_V6 = toBlockList([["2000::/3", "global unicast"]], "ipv6");

/** Whether an address, as a resolver or a socket spells it, belongs to a host on the public Internet. */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, "");
  switch (isIP(bare)) {
    case 4:
      return !REFUSED_V4.check(bare, "ipv4");
    case 6: {
      const embedded = embeddedIPv4(toBits(bare));
      if (embedded !== null) return isPublicAddress(embedded);
      return GLOBAL_V6.check(bare, "ipv6") && !REFUSED_V6.check(bare, "ipv6");
    }
    default:
      return false;
  }
}

function embeddedIPv4(bits: bigint): string | null {
  if (!EMBEDDING_PREFIXES.includes(bits >> 32n)) return null;
  return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 0xffn).join(".");
}

/** The 128 bits of an address that `isIP` has accepted. */
function toBits(address: string): bigint {
  // The URL parser writes any spelling of an IPv6 address as plain hexadecimal groups.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = "", tail] = groups.split("::");
  const parts = (text: string) => (text === "" ? [] : text.split(":"));
  const [left, right] = [parts(head), parts(tail ?? "")];
  const zeros = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill("0");
  return [...left, ...zeros, ...right].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

function toBlockList(ranges: readonly (readonly [string, string])[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [range] of ranges) {
    const [network = "", prefix] = range.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
