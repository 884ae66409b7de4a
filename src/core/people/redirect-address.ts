/** Where a client gets its code: a page of its own, a program on the person's computer, or an app that it opens. */
export interface RedirectAddress {
  /** As written; it is compared by its characters and never rewritten. */
  readonly text: string;
  readonly kind: "web" | "loopback" | "app";
  /** What a person is shown: the host with its port, or the scheme of an app. */
  readonly shown: string;
  /** What a page's policy names, so that a form may lead there. */
  readonly source: string;
}

/** Characters of paths and queries. Nothing that readers of addresses take for different things: no \\, no @, no space. */
const REST = "(?:/[A-Za-z0-9\\-._~!$&'()*+,;=:%/]*)?(?:\\?[A-Za-z0-9\\-._~!$&'()*+,;=:%/?]*)?";
const WEB = new RegExp(`^https://([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\\d{1,5})?)${REST}$`);
const LOOPBACK = new RegExp(`^http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d{1,5})?(${REST})$`);
/** Apps that any other app could take the place of, so that only these are accepted, whole. */
const APPS: ReadonlySet<string> = new Set(["cursor://anysphere.cursor-mcp/oauth/callback"]);
/** `.` and `..`, plain or encoded, alone between slashes. */
const DOTS = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;
const LONGEST = 2_000;

/** An address that a client may name; null for any other. */
export function readRedirect(text: unknown): RedirectAddress | null {
  if (typeof text !== "string" || text.length > LONGEST || DOTS.test(text)) return null;
  if (APPS.has(text)) {
    const scheme = text.slice(0, text.indexOf(":") + 1);
    return { text, kind: "app", shown: scheme, source: scheme };
  }
  const [, host] = WEB.exec(text) ?? [];
  if (host !== undefined) return isPort(host) ? { text, kind: "web", shown: host, source: `https://${host}` } : null;
  const [, name, port = ""] = LOOPBACK.exec(text) ?? [];
  if (name === undefined || !isPort(`${name}${port}`)) return null;
  // A policy has no word for an address in brackets.
  const source = name === "[::1]" ? "http:" : `http://${name}${port}`;
  return { text, kind: "loopback", shown: `${name}${port}`, source };
}

/**
 * The wanted address, if the client has it: character by character, but on the person's own computer with any port,
 * because a program there takes one that is free (RFC 8252).
 */
export function chooseRedirect(wanted: string, known: readonly string[]): RedirectAddress | null {
  const redirect = readRedirect(wanted);
  if (redirect === null) return null;
  if (known.includes(wanted)) return redirect;
  if (redirect.kind !== "loopback") return null;
  const bare = withoutPort(wanted);
  const isKnown = known.some((each) => readRedirect(each)?.kind === "loopback" && withoutPort(each) === bare);
  return isKnown ? redirect : null;
}

/** No path and the path / are the same. */
function withoutPort(loopback: string): string {
  return loopback.replace(LOOPBACK, (_, name: string, _port: string, rest: string) =>
    rest.startsWith("/") ? `${name}${rest}` : `${name}/${rest}`,
  );
}

function isPort(host: string): boolean {
  const [, port] = /:(\d+)$/.exec(host.replace(/^\[.*\]/, "")) ?? [];
  return port === undefined || (Number(port) > 0 && Number(port) <= 65_535);
}
