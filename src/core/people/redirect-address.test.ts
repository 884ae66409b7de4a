import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseRedirect, readRedirect } from "./redirect-address.ts";

const KNOWN = ["https://claude.ai/api/mcp/auth_callback", "http://localhost/callback", "http://127.0.0.1:4000/cb?x=1"];

test.each([
  "https://claude.ai/api/mcp/auth_callback",
  "http://localhost/callback",
  "http://localhost:49152/callback",
  "http://127.0.0.1:1/cb?x=1",
])("%s leads to a client that named it, on the person's computer with any port", (wanted) => {
  expect(chooseRedirect(wanted, KNOWN)?.text).toBe(wanted);
});

test.each([
  ["user info", "https://claude.ai@evil.example/api/mcp/auth_callback"],
  ["user info on this computer", "http://localhost:80@evil.example/callback"],
  ["a backslash", "https://claude.ai\\@evil.example/api/mcp/auth_callback"],
  ["two slashes", "https://claude.ai//api/mcp/auth_callback"],
  ["no scheme", "//claude.ai/api/mcp/auth_callback"],
  ["dots", "https://claude.ai/x/../api/mcp/auth_callback"],
  ["encoded dots", "http://localhost/%2e%2e/callback"],
  ["encoded letters", "https://claude.ai/api/mcp/%61uth_callback"],
  ["a longer host", "http://localhost.evil.example/callback"],
  ["a host within another one", "https://claude.ai.evil.example/api/mcp/auth_callback"],
  ["another case", "https://CLAUDE.ai/api/mcp/auth_callback"],
  ["a port on https", "https://claude.ai:8443/api/mcp/auth_callback"],
  ["a longer path", "https://claude.ai/api/mcp/auth_callback/x"],
  ["a longer path on this computer", "http://localhost/callback/x"],
  ["a query", "http://localhost/callback?next=https://evil.example"],
  ["another query", "http://127.0.0.1:4000/cb?x=2"],
  ["a fragment", "https://claude.ai/api/mcp/auth_callback#x"],
  ["another name of this computer", "http://127.0.0.1/callback"],
  ["http elsewhere", "http://claude.ai/api/mcp/auth_callback"],
  ["https on this computer", "https://localhost/callback"],
  ["a number for an address", "http://2130706433/callback"],
  ["a space", "http://localhost/callback "],
  ["a line", "http://localhost/callback\r\nX: y"],
  ["a port that is none", "http://localhost:99999/callback"],
])("redirect tricks: %s", (_, wanted) => {
  expect(chooseRedirect(wanted, KNOWN)).toBe(null);
});

test.each([
  "javascript:alert(1)",
  "data:text/html,x",
  "https://*.example.com/cb",
  "myapp://callback",
  "cursor://other/oauth/callback",
  "https://a.example/cb#f",
  "",
  7,
])("no client may name %s", (text) => {
  expect(readRedirect(text)).toBe(null);
});

test("a person is shown where a code goes", () => {
  expect(readRedirect("https://claude.ai/x")).toMatchObject({ kind: "web", shown: "claude.ai" });
  expect(readRedirect("http://[::1]:90/x")).toMatchObject({ kind: "loopback", shown: "[::1]:90", source: "http:" });
  expect(readRedirect("cursor://anysphere.cursor-mcp/oauth/callback")).toMatchObject({ kind: "app", shown: "cursor:" });
});

test("whatever is chosen goes to a host that was named", () => {
  const part = fc.constantFrom("http://", "https://", "localhost", "127.0.0.1", "claude.ai", "@", ":", "80", "/", "\\");
  const rest = fc.constantFrom("callback", "/callback", "?", "#", "evil.example", ".", "%2e", "/api/mcp/auth_callback");
  fc.assert(
    fc.property(fc.array(fc.oneof(part, rest), { maxLength: 8 }), (parts) => {
      const chosen = chooseRedirect(parts.join(""), KNOWN);
      if (chosen === null) return;
      expect(["localhost", "127.0.0.1", "claude.ai"]).toContain(new URL(chosen.text).hostname);
      expect(new URL(chosen.text).username).toBe("");
    }),
  );
});
