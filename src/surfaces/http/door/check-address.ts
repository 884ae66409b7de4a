import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";

/** A name or an address in brackets, and a port. Anything else is refused. */
const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9.-]{0,253}[a-z0-9])?)(?::\d{1,5})?$/;
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
const EVERYWHERE: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** Where a server is, as far as it was told itself. */
export interface OwnAddress {
  /** What it listens on. */
  readonly host: string;
  /** The origin under which others reach it, `https://tools.example.com`; null if it has no such address (O1). */
  readonly publicUrl: string | null;
}

type AddressProblem = "http.foreign-host" | "http.foreign-origin";

/**
 * Whether a request was meant for this server and comes from no foreign page. A name that somebody else can point at
 * this machine (DNS rebinding) is refused; a plain address is not, because nobody can make a browser take it for
 * another one. With `anyOrigin` pages of all origins are answered.
 */
export function checkAddress(
  given: { readonly host: string | undefined; readonly origin: string | undefined },
  socket: Socket,
  own: OwnAddress,
  anyOrigin = false,
): AddressProblem | null {
  const { origin } = given;
  const host = given.host?.toLowerCase();
  if (host === undefined) return "http.foreign-host";
  const [, name] = HOST.exec(host) ?? [];
  const isMeant = name !== undefined && (isOwn(name, own.host, socket) || isPublic(host, own.publicUrl));
  if (!isMeant) return "http.foreign-host";
  if (anyOrigin || origin === undefined || isSame(origin.toLowerCase(), host)) return null;
  return origin.toLowerCase() === own.publicUrl ? null : "http.foreign-origin";
}

/** Whether a request asks for this machine by a name that only this machine has. */
export function isLocalHost(host: string | undefined): boolean {
  const [, name] = HOST.exec(host?.toLowerCase() ?? "") ?? [];
  return name !== undefined && LOOPBACK.has(name);
}

/** The address of a server as a browser on this machine opens it; one that listens everywhere is here too. */
export function originOf(host: string, port: number): string {
  const isV6 = host.includes(":");
  const name = EVERYWHERE.has(host) ? (isV6 ? "::1" : "127.0.0.1") : host;
  return `http://${isV6 ? `[${name}]` : name}:${port}`;
}

/** Node keeps the first of several; which one another program uses is unknown. */
export function onlyHost({ headers, rawHeaders }: IncomingMessage): string | undefined {
  let seen = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const key = rawHeaders[at];
    if (key?.length === 4 && key.toLowerCase() === "host") seen += 1;
  }
  return seen === 1 ? headers.host : undefined;
}

function isOwn(name: string, ownHost: string, socket: Socket): boolean {
  if (LOOPBACK.has(name)) return true;
  const bare = name.startsWith("[") ? name.slice(1, -1) : name;
  if (bare === ownHost.toLowerCase()) return !EVERYWHERE.has(bare);
  return isIP(bare) !== 0 && bare === socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, "");
}

/** With its port, if it has one; a proxy may add the one that every address has. */
function isPublic(host: string, publicUrl: string | null): boolean {
  if (publicUrl === null) return false;
  const { host: own, protocol } = new URL(publicUrl);
  return host === own || host === `${own}:${protocol === "https:" ? 443 : 80}`;
}

/** TLS may end in front of this server, so both schemes count; the address must be exactly the requested one. */
function isSame(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}
