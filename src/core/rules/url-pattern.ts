import { matchesName } from "./glob-match.ts";

/** Which addresses a `WebFetch` or `url` rule means. */
export interface UrlPattern {
  matches(url: string): boolean;
}

/** `domain:h`, `domain:*.h`, a bare host, or an address in which `*` stands for anything. */
export function toUrlPattern(specifier: string): UrlPattern {
  const [, domain] = /^domain:(.*)$/s.exec(specifier) ?? [];
  if (domain !== undefined) return { matches: (url) => isHost(domain, hostOf(url)) };
  if (!specifier.includes("/")) return { matches: (url) => isHost(specifier, hostOf(url)) };
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(specifier) ? specifier : `https://${specifier}`;
  const [, scheme = "", host = "", path = "/"] = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(\/.*)?$/is.exec(written) ?? [];
  return {
    matches(url) {
      const parsed = parse(url);
      if (parsed === null || parsed.protocol !== `${scheme.toLowerCase()}:`) return false;
      if (!isHost(host, parsed.port === "" ? parsed.hostname : parsed.host)) return false;
      const place = parsed.pathname + parsed.search;
      return (
        matchesName(path.replace(/[[?\\]/g, "\\$&"), place) || (path.endsWith("/*") && place === path.slice(0, -1))
      );
    },
  };
}

function parse(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null;
}

/** Without user, password and port, in lower case: what the request really goes to. */
function hostOf(url: string): string | null {
  return parse(url)?.hostname ?? null;
}

/** `*.h` covers every depth below `h`; a `*` elsewhere stays inside one label. */
function isHost(pattern: string, host: string | null): boolean {
  if (host === null) return false;
  const name = host.replace(/\.$/, "").toLowerCase();
  const wanted = pattern.trim().replace(/\.$/, "").toLowerCase();
  if (wanted === "*") return true;
  if (wanted.startsWith("*.") && !wanted.slice(2).includes("*")) return name.endsWith(wanted.slice(1));
  const labels = wanted.split(".");
  const given = name.split(".");
  return labels.length === given.length && labels.every((label, at) => matchesName(label, given[at] ?? ""));
}
