import { expect, test } from "vitest";
import {
  type AuthorizationWorld,
  alice,
  bob,
  CHALLENGE,
  openAuthorizationWorld,
  parametersOf,
  VERIFIER,
} from "./authorization-world.ts";

const CLAUDE_CODE = "https://claude.ai/oauth/claude-code-client-metadata";
const CLAUDE = "https://claude.ai/oauth/mcp-oauth-client-metadata";
const LOOPBACK = "http://localhost:3118/callback";
const WEB = "https://claude.ai/api/mcp/auth_callback";
/** No live document can be had, so that the copies count. */
const documents = { get: () => Promise.reject(new Error("no way out")) };
const open = (more: object = {}) => openAuthorizationWorld({ documents, ...more });

function ask(fields: Record<string, string | null> = {}): string {
  const wanted = {
    ...{ response_type: "code", client_id: CLAUDE_CODE, redirect_uri: LOOPBACK, state: "s-1", scope: "tools:read" },
    ...{ code_challenge: CHALLENGE, code_challenge_method: "S256", ...fields },
  };
  const given = Object.entries(wanted).filter((each): each is [string, string] => each[1] !== null);
  return `/authorize?${new URLSearchParams(given)}`;
}

const redeem = ({ post }: AuthorizationWorld, code: string, more: Record<string, string> = {}): Promise<Response> =>
  post("/token", {
    ...{ grant_type: "authorization_code", code, redirect_uri: LOOPBACK, client_id: CLAUDE_CODE },
    ...{ code_verifier: VERIFIER, ...more },
  });

test("a person logs in, allows it, and the client gets tokens that open the gateway (O4)", async () => {
  const world = await open();
  const browser = world.browser();
  const page = await browser.go(ask({ scope: " tools:call  offline_access", resource: `${world.origin}/mcp` }));
  const text = await page.clone().text();
  expect(text).toContain("Let claude.ai use your tools?");
  expect(text).toContain("“Claude Code”");
  expect(text).toContain("localhost:3118");
  expect(text).toContain("Alice Ames (alice@example.com)");
  const back = await browser.answer(page, "allow");
  expect(back.status).toBe(303);
  expect(back.headers.get("location")).toMatch(/^http:\/\/localhost:3118\/callback\?/);
  const { code = "", ...rest } = parametersOf(back);
  expect(rest).toEqual({ state: "s-1", iss: world.origin });
  const answer = await redeem(world, code);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const tokens = (await answer.json()) as Record<string, string>;
  expect(tokens).toMatchObject({ token_type: "Bearer", expires_in: 3600, scope: "tools:read tools:call" });
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
  };
  const headers = {
    authorization: `Bearer ${tokens.access_token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const opened = await fetch(`${world.origin}/mcp`, { method: "POST", headers, body: JSON.stringify(initialize) });
  expect(opened.status).toBe(200);
  const refreshed = await world.post("/token", {
    grant_type: "refresh_token",
    refresh_token: tokens.refresh_token ?? "",
    client_id: CLAUDE_CODE,
  });
  expect(await refreshed.json()).toMatchObject({ token_type: "Bearer", scope: "tools:read tools:call" });
  expect(world.problems).toEqual([]);
});

test("metadata names what works, at the one address, for pages of all origins", async () => {
  const { origin } = await open({ machines: 1 });
  const response = await fetch(`${origin}/.well-known/oauth-authorization-server`, {
    headers: { origin: "https://x.example" },
  });
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(await response.json()).toEqual({
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    revocation_endpoint: `${origin}/revoke`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
    revocation_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    scopes_supported: ["tools:read", "tools:call"],
  });
});

test.each([
  ["@", "http://localhost:3118@evil.example/callback"],
  ["backslash", "http://localhost\\@evil.example/callback"],
  ["two slashes", "//evil.example/callback"],
  ["encoded dots", "http://localhost/%2e%2e/callback"],
  ["localhost.evil", "http://localhost.evil.example/callback"],
  ["port on https", "https://claude.ai:444/api/mcp/auth_callback"],
  ["path suffix", "http://localhost:3118/callback/x"],
  ["fragment", "http://localhost:3118/callback#x"],
  ["javascript", "javascript:alert(1)"],
])("redirect tricks: %s leads to an error page, and nowhere else", async (_, redirect_uri) => {
  const { browser } = await open({ machines: 1 });
  const page = await browser().go(ask({ redirect_uri }));
  expect([page.status, page.headers.get("location")]).toEqual([400, null]);
  expect(await page.text()).toContain("is no redirect address of");
});

test.each(["redirect_uri", "client_id", "resource", "state", "code_challenge"])(
  "parameter repeated: a second %s is refused on an error page",
  async (name) => {
    const { browser } = await open({ machines: 1 });
    const page = await browser().go(`${ask({ resource: null })}&${name}=x&${name}=y`);
    expect([page.status, page.headers.get("location")]).toEqual([400, null]);
    expect(await page.text()).toContain("is given twice");
  },
);

test("parameter repeated: a second code is invalid_request", async () => {
  const { post } = await open({ machines: 1 });
  const answer = await post("/token", [
    ["grant_type", "authorization_code"],
    ["code", "a"],
    ["code", "b"],
  ]);
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: "invalid_request" }]);
});

test.each([
  ["missing", { code_challenge: null }, "invalid_request"],
  ["plain", { code_challenge_method: "plain" }, "invalid_request"],
  ["downgrade by leaving out the method", { code_challenge_method: null }, "invalid_request"],
  ["too short", { code_challenge: "abc" }, "invalid_request"],
])("PKCE %s: refused", async (_, fields, error) => {
  const { browser, origin } = await open({ machines: 1 });
  const back = await browser().go(ask(fields));
  expect(parametersOf(back)).toMatchObject({ error, state: "s-1", iss: origin });
});

test.each([
  [{ response_type: "token" }, "unsupported_response_type"],
  [{ response_mode: "fragment" }, "invalid_request"],
  [{ request: "eyJ" }, "request_not_supported"],
  [{ request_uri: "https://evil.example/r" }, "request_uri_not_supported"],
  [{ resource: "https://other.example.com/mcp" }, "invalid_target"],
  [{ resource: "https://tools.example.com/mcp/" }, "invalid_target"],
  [{ prompt: "none" }, "consent_required"],
])("mix-up: %o is answered at the redirect address, with our name in iss", async (fields, error) => {
  const { browser, origin } = await open({ machines: 1 });
  const there = browser();
  await there.go(ask());
  const back = await there.go(ask(fields));
  expect(parametersOf(back)).toMatchObject({ error, state: "s-1", iss: origin });
});

test("an unknown client, one without a document, and a request that names none get an error page", async () => {
  const { browser } = await open({ machines: 1 });
  for (const client_id of ["tcc_abcdefghijklmnopqrstuv", "mine", "http://claude.ai/x", "https://127.0.0.1/x", null]) {
    const page = await browser().go(ask({ client_id }));
    expect([page.status, page.headers.get("location")]).toEqual([400, null]);
  }
});

test("PKCE wrong verifier, code of another client, code replay: invalid_grant, and replay revokes", async () => {
  const world = await open();
  const browser = world.browser();
  const { code = "" } = parametersOf(await browser.answer(await browser.go(ask()), "allow"));
  const refused = [
    400,
    { error: "invalid_grant", error_description: "it is unknown, has expired, or was used before" },
  ];
  for (const more of [{ code_verifier: "w".repeat(43) }, { client_id: CLAUDE }, { redirect_uri: WEB }]) {
    const answer = await redeem(world, code, more);
    expect([answer.status, await answer.json()]).toEqual(refused);
  }
  const { access_token = "" } = (await (await redeem(world, code)).json()) as Record<string, string>;
  const again = await redeem(world, code);
  expect([again.status, await again.json()]).toEqual(refused);
  const headers = { authorization: `Bearer ${access_token}` };
  expect((await fetch(`${world.origin}/mcp`, { method: "POST", headers })).status).toBe(401);
  expect(world.notes.map(({ type }) => type)).toContain("authorization.replayed");
});

test("CSRF on consent: another origin, no origin, another site or another browser is refused", async () => {
  const world = await open();
  const [browser, other] = [world.browser(), world.browser()];
  const text = await (await browser.go(ask())).text();
  const page = (): Response => new Response(text);
  world.world.person = bob;
  await other.go(ask());
  for (const headers of [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: world.origin, "sec-fetch-site": "cross-site" },
  ])
    expect((await browser.answer(page(), "allow", headers)).status).toBe(403);
  const [, ticket = ""] = /name="ticket" value="([^"]*)"/.exec(text) ?? [];
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join("; ");
  expect((await world.post("/authorize", { ticket, answer: "allow" }, { cookie })).status).toBe(403);
  expect((await world.post("/authorize", { ticket, answer: "allow" }, { origin: world.origin })).status).toBe(403);
  expect((await other.answer(page(), "allow")).status).toBe(403);
  expect((await browser.answer(new Response('name="ticket" value="made-up"'), "allow")).status).toBe(403);
  expect((await browser.answer(page(), "allow")).status).toBe(303);
  expect((await browser.answer(page(), "allow")).status).toBe(403);
});

test("a cookie of the session is for this host, unread by scripts, and not sent by forms of others", async () => {
  const world = await open({ machines: 1 });
  const login = await fetch(`${world.origin}/login?back=/`, { redirect: "manual" });
  expect(login.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Lax$/);
});

test("consent page: no script, no frame, no cache, and its form leads to us and to the client alone", async () => {
  const { browser } = await open({ machines: 1 });
  const page = await browser().go(ask());
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self'; form-action 'self' http:\/\/localhost:3118; /,
  );
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("script-src");
  expect(page.headers.get("cache-control")).toBe("no-store");
  expect(await page.text()).not.toContain("<script");
});

test("a person who does not allow it sends the client access_denied", async () => {
  const world = await open();
  const browser = world.browser();
  const back = await browser.answer(await browser.go(ask()), "deny");
  expect(parametersOf(back)).toMatchObject({ error: "access_denied", state: "s-1", iss: world.origin });
  expect(await world.place.store.keyValues({ name: "people.codes", person: "", project: "people" }).entries()).toEqual(
    new Map(),
  );
});

test("consent is remembered for a web page of the client, and never for an address of one's own computer", async () => {
  const { browser, world } = await open();
  const there = browser();
  const web = ask({ client_id: CLAUDE, redirect_uri: WEB });
  const page = await there.go(web);
  expect(await page.clone().text()).not.toContain('class="warn"');
  await there.answer(page, "allow");
  expect((await there.go(web)).headers.get("location")).toMatch(/^https:\/\/claude\.ai\/.*[?&]code=/);
  // Clients that ask for more, or for the page itself, get it.
  expect((await there.go(ask({ client_id: CLAUDE, redirect_uri: WEB, scope: "tools:call" }))).status).toBe(200);
  expect((await there.go(ask({ client_id: CLAUDE, redirect_uri: WEB, prompt: "consent" }))).status).toBe(200);
  const local = await there.go(ask());
  expect(await local.clone().text()).toContain("a program on the computer that this browser runs on");
  await there.answer(local, "allow");
  expect((await there.go(ask())).status).toBe(200);
  world.person = bob;
  expect((await browser().go(web)).status).toBe(200);
});

test("consent phishing: a client named Claude is shown by its host, and asked for again once its document changed", async () => {
  const id = "https://evil.example.com/claude.json";
  const state = { redirects: ["https://evil.example.com/cb"] };
  const get = async () => jsonResponse({ client_id: id, client_name: "Claude", redirect_uris: state.redirects });
  const clock = { now: 0 };
  const { browser } = await openAuthorizationWorld({ machines: 1, documents: { get, now: () => clock.now } });
  const there = browser();
  const wanted = ask({ client_id: id, redirect_uri: "https://evil.example.com/cb" });
  const page = await there.go(wanted);
  expect(await page.clone().text()).toMatch(/<h1>Let evil\.example\.com use your tools\?<\/h1>/);
  await there.answer(page, "allow");
  expect((await there.go(wanted)).status).toBe(303);
  state.redirects = ["https://evil.example.com/cb", "https://evil.example.com/other"];
  clock.now += 86_400_001;
  expect((await there.go(wanted)).status).toBe(200);
});

test("XSS through client name, redirect, state or error text: it stays text", async () => {
  const { browser, register } = await open({ machines: 1 });
  const nasty = `"><img src=x onerror=alert(1)><script>alert(1)</script>`;
  const client = { client_name: nasty, redirect_uris: ["https://a.example/cb"], token_endpoint_auth_method: "none" };
  const { client_id = "" } = (await (await register(client)).json()) as Record<string, string>;
  const pages = await Promise.all([
    browser().go(ask({ client_id, redirect_uri: "https://a.example/cb", state: nasty })),
    browser().go(ask({ client_id: nasty })),
    browser().go(ask({ redirect_uri: nasty })),
    browser().go(`/authorize?${encodeURIComponent(nasty)}=1&${encodeURIComponent(nasty)}=2`),
  ]);
  for (const page of pages) {
    const text = await page.text();
    expect(text).not.toMatch(/<(?:script|img)/);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  }
});

test("only clients that the configuration lists may be used, and registration can be off", async () => {
  const auth = { clients: ["claude.ai"], registration: false };
  const { browser, register, origin } = await open({ machines: 1, auth });
  expect((await browser().go(ask())).status).toBe(200);
  const other = await browser().go(ask({ client_id: "https://chatgpt.com/oauth/codex/client.json" }));
  expect([other.status, await other.text()]).toMatchObject([400, expect.stringContaining("gateway.auth.clients")]);
  const refused = await register({ redirect_uris: ["http://localhost/cb"] });
  expect([refused.status, await refused.json()]).toMatchObject([403, { error: "access_denied" }]);
  const metadata = await (await fetch(`${origin}/.well-known/oauth-authorization-server`)).json();
  expect(metadata).not.toHaveProperty("registration_endpoint");
});

test("restart of all machines in the middle of a login: it goes on", async () => {
  const world = await open();
  const browser = world.browser();
  const page = await browser.go(ask());
  await world.restart();
  const { code = "" } = parametersOf(await browser.answer(page, "allow"));
  await world.restart();
  const { refresh_token = "" } = (await (await redeem(world, code)).json()) as Record<string, string>;
  await world.restart();
  const fields = { grant_type: "refresh_token", refresh_token, client_id: CLAUDE_CODE };
  expect((await world.post("/token", fields)).status).toBe(200);
});

test("nobody is fetched for, and nothing stored, before somebody has logged in", async () => {
  let fetched = 0;
  const get = () => {
    fetched += 1;
    return Promise.reject(new Error("counted"));
  };
  const { browser, world, tables } = await openAuthorizationWorld({ machines: 1, documents: { get } });
  world.person = null;
  const before = tables.keyValues.size;
  expect((await browser().go(ask({ client_id: "https://any.example.com/client.json" }))).status).toBe(403);
  expect([fetched, tables.keyValues.size]).toEqual([0, before]);
  world.person = alice;
  const page = await browser().go(ask({ client_id: "https://any.example.com/client.json" }));
  expect(await page.text()).toContain("its document cannot be fetched");
  expect(fetched).toBe(1);
});

/** A document as it comes from a server. */
async function jsonResponse(value: object) {
  const { Readable } = await import("node:stream");
  const message = Object.assign(Readable.from([Buffer.from(JSON.stringify(value))]), {
    headers: { "content-type": "application/json" },
  });
  return { status: 200, url: new URL("https://evil.example.com"), message: message as never };
}
