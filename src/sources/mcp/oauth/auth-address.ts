import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";

/** Characters that such an address may contain: nothing that a shell, a browser or a launcher might interpret. */
const PLAIN = /^https?:\/\/[A-Za-z0-9\-._~:/?#[\]!&*+,;=%]{1,2000}$/i;

/**
 * Checks an address that a server or its metadata names before anything is fetched, sent or opened: https, or http on
 * this machine if the MCP server is on this machine too. Throws `login.address-refused`. The message does not repeat
 * the address, because its author wants it to be read.
 */
export function checkAuthAddress(text: string, server: URL, what: string): URL {
  const refuse = (why: string) =>
    new ToolcribError("login.address-refused", `The ${what} that was named cannot be used: ${why}.`);
  if (!PLAIN.test(text) || !URL.canParse(text)) throw refuse("it is no plain http or https address");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") throw refuse("it holds a user name or password");
  if (url.protocol === "https:") return url;
  if (url.protocol !== "http:") throw refuse("it is neither http nor https");
  if (isLoopback(url) && isLoopback(server)) return url;
  throw refuse("only https is safe, and http only where the server runs on this machine");
}

/** Whether a token can be sent to this address without others reading it. */
export function isConfidential(url: URL): boolean {
  return url.protocol === "https:" || isLoopback(url);
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}
