import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";

/** A name or an address in brackets, and a port. Anything else is refused. */
const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9.-]{0,253}[a-z0-9])?)(?::\d{1,5})?$/;
const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);
const EVERYWHERE: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

type AddressProblem = "http.foreign-host" | "http.foreign-origin";

/**
 * Whether a request was meant for this server and comes from no foreign page. A name that somebody else can point at
 * this machine (DNS rebinding) is refused; a plain address is not, because nobody can make a browser take it for
 * another one.
 */
export function checkAddress(
  given: { readonly host: string | undefined; readonly origin: string | undefined },
  socket: Socket,
  ownHost: string,
): AddressProblem | null {
  const { origin } = given;
  const host = given.host?.toLowerCase();
  if (host === undefined) return "http.foreign-host";
  const [, name] = HOST.exec(host) ?? [];
  if (name === undefined || !isOwn(name, ownHost, socket)) return "http.foreign-host";
  if (origin === undefined || isSame(origin.toLowerCase(), host)) return null;
  return "http.foreign-origin";
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

/** TLS may end in front of this server, so both schemes count; the address must be exactly the requested one. */
function isSame(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}
