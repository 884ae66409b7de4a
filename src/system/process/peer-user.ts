import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { endianness } from "node:os";

/** Both ends of a connection that this process has accepted. */
export interface AcceptedEnds {
  readonly localAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** The tables of this process's network namespace: other namespaces do not reach our loopback. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const OVERFLOW = "/proc/sys/kernel/overflowuid";
/** Only an established connection has an owner at the other end: a closed one counts as root's. */
const ESTABLISHED = "01";

/** Whether the system can tell whose a connection is. */
export function knowsPeers(read: ReadTable = readTable): boolean {
  return read(TABLES[0] ?? "") !== null;
}

type ReadTable = (path: string) => string | null;

/**
 * The user at the other end of a connection on this machine, as this process sees users; null if unknown. Ask while the
 * connection is open and before trusting anything from it: as long as our end exists, nobody else can have the same two
 * addresses and ports.
 */
export function peerUser(ends: AcceptedEnds, read: ReadTable = readTable): number | null {
  const [theirs, ours] = [toEnd(ends.remoteAddress, ends.remotePort), toEnd(ends.localAddress, ends.localPort)];
  if (theirs === null || ours === null) return null;
  const found = new Set(TABLES.flatMap((path) => ownersIn(read(path) ?? "", theirs, ours)));
  const [user = null] = found;
  if (found.size !== 1 || user === null) return null;
  // The overflow id covers every user that this process's namespace does not know.
  return user === Number(read(OVERFLOW) ?? 65_534) ? null : user;
}

function ownersIn(table: string, theirs: string, ours: string): readonly number[] {
  return table.split("\n").flatMap((line) => {
    const [, local = "", remote = "", state, , , , user = "", , inode] = line.trim().split(/\s+/);
    if (state !== ESTABLISHED || inode === "0" || !/^\d+$/.test(user)) return [];
    return fromTable(local) === theirs && fromTable(remote) === ours ? [Number(user)] : [];
  });
}

/** An address and port in one spelling; IPv4 is the same however it is carried. */
function toEnd(address: string | undefined, port: number | undefined): string | null {
  if (address === undefined || port === undefined) return null;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  const bytes = isIPv4(plain) ? plain.split(".").map(Number) : toBytes(plain);
  return bytes === null ? null : `${Buffer.from(bytes).toString("hex")}:${port}`;
}

/** The sixteen bytes of an IPv6 address; null if it is none, or has a zone. */
function toBytes(address: string): readonly number[] | null {
  const [head = "", tail] = address.split("::");
  const groups = (text: string): readonly string[] => (text === "" ? [] : text.split(":"));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: Math.max(0, missing) }, () => "0"), ...after];
  if (all.length !== 8 || all.some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return null;
  return all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]);
}

const MAPPED = "00000000000000000000ffff";

/** The kernel writes addresses in words of its own byte order, and ports in network order. */
function fromTable(end: string): string {
  const [address = "", port = ""] = end.split(":");
  const bytes = Buffer.from(address, "hex");
  if (endianness() === "LE" && bytes.length % 4 === 0) bytes.swap32();
  const hex = bytes.toString("hex");
  return `${hex.startsWith(MAPPED) ? hex.slice(MAPPED.length) : hex}:${Number.parseInt(port, 16)}`;
}

function readTable(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
