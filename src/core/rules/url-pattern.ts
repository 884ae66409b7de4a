import { matchesName } from "./glob-match.ts";

/** The addresses that a `WebFetch` or `url` rule means. */
export interface UrlPattern {
  /** The host that it names, in lower case, which may be a pattern: `*.example.com`. */
  readonly host: string;
  /** `broadly`, for deny and ask: another scheme, port or spelling of a path may reach the same page. */
  matches(url: string, how: "broadly" | "exactly"): boolean;
}

/** `domain:h`, `domain:*.h`, a bare host, or an address in which `*` matches anything. */
export function toUrlPattern(specifier: string): UrlPattern {
  const [, domain] = /^domain:(.*)$/s.exec(specifier) ?? [];
  if (domain !== undefined || !specifier.includes("/")) {
    const host = toHostPattern(domain ?? specifier);
    return { host, matches: (url) => isHost(host, hostOf(url)) };
  }
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(specifier) ? specifier : `https://${specifier}`;
  const [, scheme = "", authority = "", path = "/"] = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(\/.*)?$/is.exec(written) ?? [];
  const host = toHostPattern(authority);
  const isPlace = (place: string): boolean =>
    matchesName(path.replace(/[[?\\]/g, "\\$&"), place) || (path.endsWith("/*") && place === path.slice(0, -1));
  return {
    host,
    matches(url, how) {
      const parsed = parse(url);
      if (parsed === null) return false;
      const isBroad = how === "broadly";
      const sameScheme = parsed.protocol === `${scheme.toLowerCase()}:`;
      if (!sameScheme && !(isBroad && /^https?$/i.test(scheme) && /^https?:$/.test(parsed.protocol))) return false;
      const isOnHost = isHost(host, parsed.port === "" ? parsed.hostname : parsed.host);
      if (!isOnHost && !(isBroad && isHost(host, parsed.hostname))) return false;
      const place = parsed.pathname + parsed.search;
      return isPlace(place) || (isBroad && isPlace(plain(parsed.pathname) + parsed.search));
    },
  };
}

/** Servers treat `/%61//b` as `/a/b`. */
function plain(path: string): string {
  const decoded = path.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  const segments = decoded.replace(/\/{2,}/g, "/");
  return parse(`http://x${segments.startsWith("/") ? "" : "/"}${segments}`)?.pathname ?? segments;
}

function parse(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null;
}

/** Without user, password and port, in lower case: where the request really goes. */
function hostOf(url: string): string | null {
  return parse(url)?.hostname ?? null;
}

/** A host as addresses spell it, in lower case, with `*` preserved. */
export function toAsciiHost(pattern: string): string {
  return pattern.toLowerCase().split(".").map(toAscii).join(".");
}

/** Addresses encode letters beyond ASCII. */
function toAscii(label: string): string {
  return /[^\0-\x7f]/.test(label) && !label.includes("*") ? (hostOf(`http://${label}`) ?? label) : label;
}

function toHostPattern(written: string): string {
  return toAsciiHost(written.trim()).replace(/\.$/, "");
}

/** The hosts of an address that a pattern may name: with the port and without. */
export function toHosts(url: string): readonly string[] {
  const parsed = parse(url);
  return parsed === null ? [] : [parsed.hostname, parsed.host].map(toHostName);
}

function toHostName(host: string): string {
  return host.replace(/\.$/, "").toLowerCase();
}

/** `*.h` covers every depth below `h`; a `*` elsewhere stays inside one label. */
function isHost(wanted: string, host: string | null): boolean {
  if (host === null) return false;
  const name = toHostName(host);
  if (wanted === "*") return true;
  if (wanted.startsWith("*.") && !wanted.slice(2).includes("*")) return name.endsWith(wanted.slice(1));
  const labels = wanted.split(".");
  const given = name.split(".");
  return labels.length === given.length && labels.every((label, at) => matchesName(label, given[at] ?? ""));
}
