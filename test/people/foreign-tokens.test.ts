import fc from "fast-check";
import { exportSPKI, importJWK, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { serveLoopback } from "../support/loopback-web.ts";
import { type FreeIssuer, RESOURCE, startIssuer } from "./issuer.ts";
import { openPeopleGateway, type PeopleWorld, type PeopleWorldOptions } from "./world.ts";

const PEOPLE = [{ everybody: true, profile: "all" }];

/** A gateway that takes tokens of an issuer. */
async function openWith(issuer: FreeIssuer, more: object = {}, options: PeopleWorldOptions = {}) {
  const settings = {
    profiles: { all: {} },
    auth: { issuers: [{ issuer: issuer.issuer, ...more }], people: PEOPLE },
  };
  return openPeopleGateway(settings, options);
}

/** The reason in the log for the newest refusal; null if there was none. */
const whyOf = ({ notes }: PeopleWorld): string | null =>
  notes
    .findLast(({ type }) => type === "token.refused")
    ?.text.replace(/^a token from 127\.0\.0\.1 was refused: /, "") ?? null;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("audience confusion", () => {
  test("a token of the same issuer for another app is refused, and ours among others is taken", async () => {
    const issuer = await startIssuer();
    const world = await openWith(issuer, { audience: ["api://tools"] });
    expect(await world.tryToken(await issuer.sign({ aud: "https://other.example.com/mcp" }))).toBe(401);
    expect(whyOf(world)).toBe(`it is for "https://other.example.com/mcp", not for ${RESOURCE}`);
    expect(await world.tryToken(await issuer.sign({ aud: ["other", RESOURCE] }))).toBe(200);
    expect(await world.tryToken(await issuer.sign({ aud: "api://tools" }))).toBe(200);
  });

  test.each([
    "https://tools.example.com",
    `${RESOURCE}/`,
    `${RESOURCE}/more`,
    "https://tools.example.com/MCP",
    "https://TOOLS.example.com/mcp",
    "https://tools.example.com:8443/mcp",
    "http://tools.example.com/mcp",
    "https://tools.example.com.evil.example/mcp",
    undefined,
    { value: RESOURCE },
    [[RESOURCE]],
  ])("%j is not for us", async (aud) => {
    const issuer = await startIssuer();
    const world = await openWith(issuer);
    expect(await world.tryToken(await issuer.sign({ aud }))).toBe(401);
    expect(whyOf(world)).toMatch(/^it is for /);
  });
});

describe("alg none, HS256 with the RSA key, an algorithm of another key, unknown crit", () => {
  test("each is refused", async () => {
    const issuer = await startIssuer("RS256");
    const world = await openWith(issuer);
    const good = await issuer.sign();
    expect(await world.tryToken(good)).toBe(200);
    const [, body = "", signature = ""] = good.split(".");
    const refuse = async (token: string): Promise<string | null> => {
      expect(await world.tryToken(token)).toBe(401);
      return whyOf(world);
    };
    const withHeader = (header: object): string =>
      `${encode({ kid: "key-1", typ: "at+jwt", ...header })}.${body}.${signature}`;
    for (const alg of ["none", "None", "nOnE", "", "HS256", "HS512", "RS256 ", null, 7])
      expect(await refuse(withHeader({ alg }))).toMatch(/^it is signed with .*, which never counts$/);
    // Without a signature it is not even a JWT to us.
    expect(await refuse(`${encode({ alg: "none" })}.${body}.`)).toMatch(/^nobody gave it out/);
    const pem = await exportSPKI((await importJWK(issuer.publicKey, "RS256")) as Parameters<typeof exportSPKI>[0]);
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer.issuer, sub: "mallory", aud: RESOURCE, exp: now + 60 };
    const forged = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "key-1" }).sign(Buffer.from(pem));
    expect(await refuse(forged)).toMatch(/^it is signed with "HS256", which never counts/);
    expect(await refuse(withHeader({ alg: "RS512" }))).toMatch(/algorithms are others/);
    expect(await refuse(withHeader({ alg: "ES256" }))).toMatch(
      /^a token is signed with a key that its issuer does not have/,
    );
    expect(await refuse(withHeader({ alg: "RS256", crit: ["exp"] }))).toBe("it asks for an extension (crit)");
    expect(await refuse(withHeader({ alg: "PS256" }))).toMatch(/does not have|signature is wrong/);
    expect(await refuse(`${good.slice(0, -8)}${good.slice(-8) === "AAAAAAAA" ? "BBBBBBBB" : "AAAAAAAA"}`)).toBe(
      "its signature is wrong",
    );
  });

  test("any other header is refused, and never breaks anything", async () => {
    const issuer = await startIssuer();
    const world = await openWith(issuer, {}, { limits: { refusalsPerSecond: 10_000, refusalBurst: 10_000 } });
    const [, body = "", signature = ""] = (await issuer.sign()).split(".");
    await fc.assert(
      fc.asyncProperty(
        fc.record(
          {
            ...{ alg: fc.oneof(fc.string(), fc.constant("ES256"), fc.jsonValue()), kid: fc.jsonValue() },
            ...{ typ: fc.oneof(fc.constant("at+jwt"), fc.jsonValue()), crit: fc.jsonValue(), b64: fc.boolean() },
            ...{ jwk: fc.jsonValue(), jku: fc.webUrl(), zip: fc.string() },
          },
          { requiredKeys: [] },
        ),
        async (header) => {
          expect(await world.tryToken(`${encode(header)}.${body}.${signature}`)).toBe(401);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("kid injection", () => {
  test.each([
    "../../../../etc/passwd",
    "file:///dev/null",
    "https://evil.example/key",
    "' OR 1=1 --",
    "__proto__",
    "constructor",
    "x".repeat(10_000),
  ])("%s finds no key, file or address", async (kid) => {
    const issuer = await startIssuer();
    const world = await openWith(issuer);
    expect(await world.tryToken(await issuer.sign({}, { kid: kid.slice(0, 10_000) }))).toBe(401);
    expect(issuer.asked).toEqual(["/.well-known/openid-configuration", "/keys"]);
  });

  test("a token of 1 MB is refused before it is read, and one of two issuers with the same kid needs its own key", async () => {
    const [one, other] = [await startIssuer(), await startIssuer()];
    const issuers = [{ issuer: one.issuer }, { issuer: other.issuer }];
    const world = await openPeopleGateway({ profiles: { all: {} }, auth: { issuers, people: PEOPLE } });
    expect(await world.tryToken(await one.sign({ iss: other.issuer }))).toBe(401);
    expect(whyOf(world)).toBe("its signature is wrong");
    expect(one.asked).toEqual([]);
    expect(await world.tryToken(await one.sign({ iss: `${one.issuer}/` }))).toBe(401);
    expect(whyOf(world)).toBe(`its issuer "${one.issuer}/" is none of gateway.auth.issuers`);
    expect(await world.tryToken("x.".repeat(500_000))).toBe(431);
  });
});

test("jku, x5u and jwk in the header cause no request, and no key of theirs counts", async () => {
  const issuer = await startIssuer();
  const mallory = await startIssuer();
  const world = await openWith(issuer);
  const jwk = mallory.publicKey as { kty: string };
  const header = { jku: `${mallory.issuer}/keys`, x5u: `${mallory.issuer}/cert`, jwk, x5c: ["MIIB"], kid: "key-1" };
  expect(await world.tryToken(await mallory.sign({ iss: issuer.issuer }, header))).toBe(401);
  expect(whyOf(world)).toBe("its signature is wrong");
  expect(await world.tryToken(await mallory.sign({ iss: issuer.issuer }, { ...header, kid: "key-9" }))).toBe(401);
  expect(mallory.asked).toEqual([]);
});

describe("JWKS SSRF", () => {
  const inside = [
    "http://169.254.169.254/latest/meta-data",
    "http://2130706433/keys",
    "http://0177.0.0.1/keys",
    "http://[::ffff:7f00:1]/keys",
    "http://10.0.0.1/keys",
    "file:///etc/passwd",
    "//127.0.0.1/keys",
    "http://user:secret@127.0.0.1/keys",
    "",
    null,
  ];
  test.each(inside)("keys at %s are not fetched, unless the configuration names them", async (address) => {
    const issuer = await startIssuer();
    const canary = await serveLoopback((_, response) => response.end("{}"));
    const jwks_uri = address === "http://2130706433/keys" ? `http://2130706433:${canary.port}/keys` : address;
    const body = JSON.stringify({ issuer: issuer.issuer, jwks_uri });
    issuer.answers.set("/.well-known/openid-configuration", { body });
    const world = await openWith(issuer);
    expect(await world.tryToken(await issuer.sign())).toBe(401);
    expect(canary.connections()).toBe(0);
  });

  test("keys elsewhere count once they are named as jwksUri", async () => {
    const [issuer, elsewhere] = [await startIssuer(), await startIssuer()];
    const body = JSON.stringify({ issuer: issuer.issuer, jwks_uri: `${elsewhere.issuer}/keys` });
    issuer.answers.set("/.well-known/openid-configuration", { body });
    const world = await openWith(issuer);
    expect(await world.tryToken(await elsewhere.sign({ iss: issuer.issuer }))).toBe(401);
    expect(whyOf(world)).toBe(`${issuer.issuer} has its keys elsewhere; name their address as jwksUri`);
    expect(elsewhere.asked).toEqual([]);
    const named = await openWith(issuer, { jwksUri: `${elsewhere.issuer}/keys` });
    expect(await named.tryToken(await elsewhere.sign({ iss: issuer.issuer }))).toBe(200);
  });

  test("redirects are not followed, and metadata of another issuer does not count", async () => {
    const [issuer, canary] = [await startIssuer(), await startIssuer()];
    issuer.answers.set("/keys", { status: 302, headers: { location: `${canary.issuer}/keys` }, body: "" });
    const world = await openWith(issuer);
    expect(await world.tryToken(await issuer.sign())).toBe(401);
    expect(canary.asked).toEqual([]);
    const other = await startIssuer();
    const body = JSON.stringify({ issuer: canary.issuer, jwks_uri: `${other.issuer}/keys` });
    other.answers.set("/.well-known/openid-configuration", { body });
    const named = await openWith(other);
    expect(await named.tryToken(await other.sign())).toBe(401);
    expect(whyOf(named)).toBe(`${other.issuer} calls itself by another name`);
  });

  test("a huge answer is cut, and one that never ends is given up: nobody can say, so nobody comes in", {
    timeout: 60_000,
  }, async () => {
    const issuer = await startIssuer();
    issuer.answers.set("/keys", { body: `{"keys":[],"x":"${"x".repeat(3_000_000)}"}` });
    const world = await openWith(issuer);
    expect(await world.tryToken(await issuer.sign())).toBe(401);
    const slow = await serveLoopback((_, response) => void response.write("{"));
    const waiting = await openWith(issuer, { jwksUri: `http://127.0.0.1:${slow.port}/keys` });
    expect(await waiting.tryToken(await issuer.sign())).toBe(503);
  });
});

describe("key rotation", () => {
  const timed = () => {
    let at = Date.now();
    const pass = (milliseconds: number): void => {
      at += milliseconds;
    };
    return { now: () => at, pass };
  };
  const keysAsked = ({ asked }: FreeIssuer): number => asked.filter((path) => path === "/keys").length;

  test("a new key counts within one fetch, and a removed one no longer than ten minutes", async () => {
    const issuer = await startIssuer();
    const { now, pass } = timed();
    const world = await openWith(issuer, {}, { now });
    const old = await issuer.sign();
    expect(await world.tryToken(old)).toBe(200);
    await issuer.rotate();
    pass(31_000);
    expect(await world.tryToken(await issuer.sign())).toBe(200);
    expect(keysAsked(issuer)).toBe(2);
    pass(601_000);
    const late = await issuer.sign({ exp: Math.floor(now() / 1000) + 600 });
    expect(await world.tryToken(late)).toBe(200);
    expect(await world.tryToken(await issuer.sign({ exp: Math.floor(now() / 1000) + 600 }, { kid: "key-1" }))).toBe(
      401,
    );
    expect(await world.tryToken(old)).toBe(401);
  });

  test("1,000 unknown kids cause one fetch", async () => {
    const issuer = await startIssuer();
    const { now, pass } = timed();
    const world = await openWith(issuer, {}, { now, limits: { refusalsPerSecond: 10_000, refusalBurst: 10_000 } });
    expect(await world.tryToken(await issuer.sign())).toBe(200);
    pass(31_000);
    const tokens = await Promise.all(
      Array.from({ length: 1_000 }, (_, at) => issuer.sign({}, { kid: `unknown-${at}` })),
    );
    for (let at = 0; at < tokens.length; at += 50)
      expect(new Set(await Promise.all(tokens.slice(at, at + 50).map(world.tryToken)))).toEqual(new Set([401]));
    expect(keysAsked(issuer)).toBe(2);
  });

  test("while the issuer does not answer, its keys count for an hour, and then nobody can say", async () => {
    const issuer = await startIssuer();
    const { now, pass } = timed();
    const world = await openWith(issuer, {}, { now });
    expect(await world.tryToken(await issuer.sign())).toBe(200);
    const claims = { exp: Math.floor(now() / 1000) + 86_400 };
    await issuer.stop();
    pass(30 * 60_000);
    expect(await world.tryToken(await issuer.sign(claims))).toBe(200);
    pass(31 * 60_000);
    expect(await world.tryToken(await issuer.sign({ ...claims, jti: "2" }))).toBe(503);
  });
});

describe("clock skew", () => {
  const seconds = (by: number): number => Math.floor(Date.now() / 1000) + by;

  test.each([
    ["an end 58 s ago", () => ({ exp: seconds(-58) }), 200],
    ["an end 61 s ago", () => ({ exp: seconds(-61) }), 401],
    ["a start in 58 s", () => ({ nbf: seconds(58) }), 200],
    ["a start in 62 s", () => ({ nbf: seconds(62) }), 401],
    ["made in 58 s", () => ({ iat: seconds(58) }), 200],
    ["made in 62 s", () => ({ iat: seconds(62) }), 401],
    ["no end", () => ({ exp: undefined }), 401],
    ["an end that is a text", () => ({ exp: String(seconds(60)) }), 401],
    ["an end that is no number", () => ({ exp: null }), 401],
  ])("%s: %#", async (_, claims, status) => {
    const issuer = await startIssuer();
    const world = await openWith(issuer);
    expect(await world.tryToken(await issuer.sign(claims()))).toBe(status);
  });
});

describe("an ID token, a refresh token or another token of the issuer, shown as an access token", () => {
  test.each([
    ["an ID token by its nonce", { nonce: "n" }, {}, "it is an ID token, not an access token"],
    ["an ID token by its hash", { at_hash: "h" }, {}, "it is an ID token, not an access token"],
    ["an ID token of Keycloak", { typ: "ID" }, {}, 'it is of type "ID", not an access token'],
    ["a refresh token of Keycloak", { typ: "Refresh" }, {}, 'it is of type "Refresh", not an access token'],
    ["a logout token", { events: {} }, {}, "it is a message about events, not an access token"],
    ["a logout token by its header", {}, { typ: "logout+jwt" }, 'it is of type "logout+jwt"'],
    ["an ID-JAG", {}, { typ: "oauth-id-jag+jwt" }, 'it is of type "oauth-id-jag+jwt"'],
    [
      "a token bound to a key",
      { cnf: { jkt: "x" } },
      {},
      "it is bound to a key of its bearer (cnf), and nobody has shown that key",
    ],
    ["a token of nobody", { sub: undefined }, {}, "it names no subject"],
    ["a token of an empty name", { sub: "" }, {}, "it names no subject"],
  ])("%s is refused", async (_, claims, header, why) => {
    const issuer = await startIssuer();
    const world = await openWith(issuer);
    expect(await world.tryToken(await issuer.sign(claims, header))).toBe(401);
    expect(whyOf(world)).toBe(why);
  });

  test.each([{ typ: "JWT" }, { typ: "jwt" }, { typ: undefined }, { typ: "application/at+jwt" }])(
    "an access token with the header %j is taken: issuers write it so",
    async (header) => {
      const issuer = await startIssuer();
      const world = await openWith(issuer);
      expect(await world.tryToken(await issuer.sign({}, JSON.parse(JSON.stringify({ ...header }))))).toBe(200);
    },
  );

  test.each(["RS256", "PS256", "ES256", "EdDSA"])(
    "%s is taken, and only where the configuration says so",
    async (algorithm) => {
      const issuer = await startIssuer(algorithm);
      expect(await (await openWith(issuer)).tryToken(await issuer.sign())).toBe(200);
      const other = await openWith(issuer, { algorithms: ["ES384"] });
      expect(await other.tryToken(await issuer.sign())).toBe(401);
    },
  );
});

test("scopes limit a token that names one of ours, and no other", async () => {
  const issuer = await startIssuer();
  const { ask, door } = await openWith(issuer);
  expect(door.origin).toMatch(/^http:/);
  const call = async (claims: object) => {
    const answer = await ask("/mcp", {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${await issuer.sign(claims)}`, "content-type": "application/json" },
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify([{ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "view" } }]),
    });
    return [answer.status, answer.headers.get("www-authenticate")];
  };
  const [status, challenge] = await call({ scope: "openid tools:read" });
  expect([status, challenge]).toEqual([
    403,
    'Bearer error="insufficient_scope", resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/mcp", scope="tools:read tools:call"',
  ]);
  expect((await call({ scp: ["tools:read"] }))[0]).toBe(403);
  // Allowed, and then refused for having no session.
  for (const claims of [{ scope: "tools:call" }, { scp: " tools:read  tools:call" }, { scope: "openid" }, {}])
    expect((await call(claims))[0]).toBe(400);
});

test("clients that are not listed cannot be used, by whatever name their issuer has for them", async () => {
  const issuer = await startIssuer();
  const settings = (clients: readonly string[]) => ({
    profiles: { all: {} },
    auth: { issuers: [{ issuer: issuer.issuer }], people: PEOPLE, clients },
  });
  const world = await openPeopleGateway(settings(["deploys"]));
  const without = { client_id: undefined };
  const token = await issuer.sign({ ...without, azp: "deploys" });
  expect(await world.tryToken(token)).toBe(200);
  for (const name of ["client_id", "azp", "appid", "cid"])
    expect(await world.tryToken(await issuer.sign({ ...without, [name]: "other" }))).toBe(401);
  expect(whyOf(world)).toBe('its client "other" is none of gateway.auth.clients');
  // A service that has no client.
  expect(await world.tryToken(await issuer.sign(without))).toBe(200);
  await world.reload(settings(["others"]));
  expect(await world.tryToken(token)).toBe(401);
});
