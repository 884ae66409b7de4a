/** The head of a request in the one shape that is answered without node:http. */
export interface LeanHead {
  readonly url: string;
  /** Names in small letters, each of them once. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of its body. */
  readonly length: number;
}

const MOST_LINES = 64;
const REQUEST = /^POST (\/mcp(?:\?[!-~]*)?) HTTP\/1\.1$/;
const LINE = /^([A-Za-z0-9-]+):([ -~]*)$/;
const LENGTH = /^(?:0|[1-9]\d{0,6})$/;
/** What would change how the body is read or what happens to the connection. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...["transfer-encoding", "trailer", "expect", "upgrade", "http2-settings"],
  // Node's parser takes it for another way to write Connection.
  "proxy-connection",
]);

/**
 * Null for whatever could be read in two ways or wants anything special: repeated or folded lines, other bytes than
 * visible ASCII, a body of unknown length. Node's own parser then says what that is.
 */
export function readHead(text: string): LeanHead | null {
  const lines = text.split("\r\n", MOST_LINES + 1);
  if (lines.length > MOST_LINES) return null;
  const url = REQUEST.exec(lines[0] ?? "")?.[1];
  if (url === undefined) return null;
  const headers: Record<string, string> = Object.create(null);
  for (let at = 1; at < lines.length; at += 1) {
    const [, name, value] = LINE.exec(lines[at] ?? "") ?? [];
    const key = name?.toLowerCase();
    if (key === undefined || value === undefined || ELSEWHERE.has(key) || key in headers) return null;
    headers[key] = value.trim();
  }
  const { connection = "keep-alive", "content-length": length = "" } = headers;
  if (connection.toLowerCase() !== "keep-alive" || !LENGTH.test(length)) return null;
  return { url, headers, length: Number(length) };
}
