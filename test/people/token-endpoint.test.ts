import { expect, test } from "vitest";
import { createAuthorizations } from "../../src/runtime/people/authorizations.ts";
import type { IssuedTokens } from "../../src/runtime/people/contract.ts";
import { makeStore } from "../support/people-stores.ts";
import {
  type AuthorizationWorld,
  alice,
  CHALLENGE,
  openAuthorizationWorld,
  parametersOf,
  VERIFIER,
} from "./authorization-world.ts";

type Fields = Record<string, string>;
const jsonOf = async (response: Response): Promise<Fields> => (await response.json()) as Fields;
const CURSOR = {
  client_name: "Cursor",
  redirect_uris: [
    "http://localhost:8787/callback",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "cursor://anysphere.cursor-mcp/oauth/callback",
  ],
  token_endpoint_auth_method: "none",
};

/** Gives a client a first code. */
async function getCode({ browser }: AuthorizationWorld, client_id: string, redirect_uri: string): Promise<string> {
  const there = browser();
  const wanted = {
    response_type: "code",
    client_id,
    redirect_uri,
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  };
  const back = await there.answer(await there.go(`/authorize?${new URLSearchParams(wanted)}`), "allow");
  return parametersOf(back).code ?? "";
}

test("a client registers, of its addresses those that can be used, and gets tokens", async () => {
  const world = await openAuthorizationWorld();
  const answer = await world.register({
    ...CURSOR,
    redirect_uris: [...CURSOR.redirect_uris, "myapp://x", "http://a.example/"],
  });
  expect(answer.status).toBe(201);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const { client_id = "", ...rest } = await jsonOf(answer);
  expect(rest).toEqual({
    ...{ client_id_issued_at: expect.any(Number), ...CURSOR },
    ...{ grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
  });
  expect(world.notes).toMatchObject([{ type: "client.registered", text: expect.stringContaining("Cursor") }]);
  for (const redirect_uri of CURSOR.redirect_uris) {
    const code = await getCode(world, client_id, redirect_uri);
    const given = { grant_type: "authorization_code", code, redirect_uri, client_id, code_verifier: VERIFIER };
    expect((await world.post("/token", given)).status).toBe(200);
  }
});

test.each([
  ["no redirect addresses", {}, "invalid_redirect_uri"],
  ["only bad ones", { redirect_uris: ["javascript:alert(1)", "https://a.example/#x"] }, "invalid_redirect_uri"],
  ["too many", { redirect_uris: Array(21).fill("https://a.example/") }, "invalid_redirect_uri"],
  [
    "a way to authenticate that is not here",
    { ...CURSOR, token_endpoint_auth_method: "private_key_jwt" },
    "invalid_client_metadata",
  ],
  ["no code flow", { ...CURSOR, grant_types: ["client_credentials"] }, "invalid_client_metadata"],
])("a registration with %s is refused", async (_, client, error) => {
  const { register } = await openAuthorizationWorld({ machines: 1 });
  const answer = await register(client);
  expect([answer.status, await answer.json()]).toMatchObject([400, { error, error_description: expect.any(String) }]);
});

test("a confidential client needs its secret, in the header or in the form, and not in both", async () => {
  const world = await openAuthorizationWorld();
  const redirect_uri = "https://a.example/cb";
  const { client_id = "", client_secret = "" } = await jsonOf(await world.register({ redirect_uris: [redirect_uri] }));
  const refresh = { grant_type: "refresh_token", refresh_token: "tcr_x" };
  const basic = (secret: string) => ({ authorization: `Basic ${btoa(`${client_id}:${secret}`)}` });
  const outcome = async (fields: Fields, headers: Fields = {}) => {
    const answer = await world.post("/token", { ...refresh, ...fields }, headers);
    return [answer.status, (await jsonOf(answer)).error, answer.headers.get("www-authenticate")?.slice(0, 5)];
  };
  expect(await outcome({ client_id })).toEqual([401, "invalid_client", "Basic"]);
  expect(await outcome({ client_id, client_secret: "wrong" })).toEqual([401, "invalid_client", "Basic"]);
  expect(await outcome({}, basic("wrong"))).toEqual([401, "invalid_client", "Basic"]);
  expect(await outcome({ client_secret }, basic(client_secret))).toEqual([400, "invalid_request", undefined]);
  expect(await outcome({ client_id: "other" }, basic(client_secret))).toEqual([401, "invalid_client", "Basic"]);
  expect(await outcome({ client_id, client_secret })).toEqual([400, "invalid_grant", undefined]);
  expect(await outcome({}, basic(client_secret))).toEqual([400, "invalid_grant", undefined]);
});

test("a client that was forgotten is told so, and registers again", async () => {
  const { post } = await openAuthorizationWorld({ machines: 1 });
  const fields = { grant_type: "refresh_token", refresh_token: "tcr_x", client_id: "tcc_abcdefghijklmnopqrstuv" };
  const answer = await post("/token", fields);
  expect([answer.status, await answer.json()]).toMatchObject([401, { error: "invalid_client" }]);
});

test.each([
  [{ grant_type: "password", username: "a", password: "b" }, "unsupported_grant_type"],
  [{ grant_type: "client_credentials" }, "unsupported_grant_type"],
  [{ grant_type: "authorization_code", code: "x" }, "invalid_request"],
  [{ grant_type: "refresh_token", refresh_token: "tcr_x", resource: "https://other.example.com/" }, "invalid_target"],
  [{ grant_type: "refresh_token", refresh_token: "tcr_x" }, "invalid_grant"],
  [{}, "invalid_request"],
])("token endpoint: %o is %s", async (fields, error) => {
  const { post } = await openAuthorizationWorld({ machines: 1 });
  const answer = await post("/token", {
    client_id: "https://claude.ai/oauth/claude-code-client-metadata",
    ...fields,
  } as Fields);
  expect([answer.status, await answer.json()]).toMatchObject([400, { error }]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
});

test("token endpoint: only a form, only POST, for pages of all origins", async () => {
  const { origin } = await openAuthorizationWorld({ machines: 1 });
  const json = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
  expect((await fetch(`${origin}/token`, json)).status).toBe(415);
  const get = await fetch(`${origin}/token?grant_type=refresh_token`);
  expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  const asked = await fetch(`${origin}/token`, { method: "OPTIONS", headers: { origin: "https://x.example" } });
  expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
});

test("a client gives its token back, and nobody learns whether a token was known", async () => {
  const world = await openAuthorizationWorld();
  const { client_id = "" } = await jsonOf(await world.register(CURSOR));
  const redirect_uri = "http://localhost:8787/callback";
  const given = { grant_type: "authorization_code", redirect_uri, client_id, code_verifier: VERIFIER };
  const code = await getCode(world, client_id, redirect_uri);
  const tokens = await jsonOf(await world.post("/token", { ...given, code }));
  const revoked = await world.post("/revoke", { client_id, token: tokens.refresh_token ?? "" });
  expect([revoked.status, await revoked.text()]).toEqual([200, ""]);
  expect((await world.post("/revoke", { client_id, token: "nonsense" })).status).toBe(200);
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  expect((await fetch(`${world.origin}/mcp`, { method: "POST", headers })).status).toBe(401);
});

test("rate limits: an address that registers too often waits, with the time", async () => {
  const { register } = await openAuthorizationWorld({ machines: 1 });
  const answers = await Promise.all(Array.from({ length: 65 }, () => register(CURSOR)));
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused?.json()).toMatchObject({ error: "temporarily_unavailable" });
  expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(60);
});

test("canary: no token, code, secret or cookie in a row of the store or the log", async () => {
  const world = await openAuthorizationWorld();
  const redirect_uri = "https://a.example/cb";
  const { client_id = "", client_secret = "" } = await jsonOf(await world.register({ redirect_uris: [redirect_uri] }));
  const there = world.browser();
  const wanted = {
    response_type: "code",
    client_id,
    redirect_uri,
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    state: "canary-state",
  };
  const page = await there.go(`/authorize?${new URLSearchParams(wanted)}`);
  const [, ticket = ""] = /name="ticket" value="([^"]*)"/.exec(await page.clone().text()) ?? [];
  const { code = "" } = parametersOf(await there.answer(page, "allow"));
  const given = { grant_type: "authorization_code", code, client_id, client_secret, code_verifier: VERIFIER };
  const tokens = await jsonOf(await world.post("/token", given));
  await world.post("/token", {
    grant_type: "refresh_token",
    refresh_token: tokens.refresh_token ?? "",
    client_id,
    client_secret,
  });
  const dump = JSON.stringify([
    [...world.tables.keyValues].map(([place, rows]) => [place, [...rows]]),
    world.notes,
    world.problems,
  ]);
  const cookies = [...there.jar.values()].flatMap((cookie) => cookie.split(".").slice(1));
  const secrets = [
    client_secret,
    ticket,
    code,
    VERIFIER,
    ...cookies,
    tokens.access_token ?? "",
    tokens.refresh_token ?? "",
  ];
  for (const secret of secrets.flatMap((text) => [text, text.slice(-43)])) {
    expect(secret.length).toBeGreaterThan(40);
    expect(dump).not.toContain(secret);
  }
});

/** Machines with a store each on one PostgreSQL, and what clients hold. */
async function openStorm(count: number) {
  const database = await makeStore("postgres");
  const people = {
    find: async () => ({ caller: alice, since: 0, seen: 0, ended: null }),
    announce: async () => {},
  };
  const open = async () =>
    createAuthorizations({ store: await database.open(), scope: "s" }, { people, log: () => {} });
  const [one, two, three] = [await open(), await open(), await open()];
  const give = async (_: unknown, at: number): Promise<IssuedTokens | null> => {
    const given = { caller: personAt(at), clientName: "c", scopes: [], redirect: "r", browser: null };
    const code = await one.allow({ ...given, challenge: CHALLENGE });
    return two.redeem(code, { client: "c", redirect: "r", verifier: VERIFIER });
  };
  const held = await Promise.all(Array.from({ length: count }, give));
  return { machines: [one, two, three], held: held.flatMap((tokens) => tokens ?? []) };
}

const personAt = (at: number) => ({ ...alice, subject: `p${at}`, client: "c" });

test("refresh storm: 200 clients in one second on three machines, each twice: no family lost, none doubled", async () => {
  const { machines, held } = await openStorm(200);
  const machineAt = (at: number) => machines[at % 3] ?? expect.fail("there are three");
  expect(held).toHaveLength(200);
  const given = await Promise.all(
    held.flatMap(({ refreshToken }, at) => [at, at + 1].map((turn) => machineAt(turn).refresh(refreshToken, "c"))),
  );
  const next = given.map((tokens) => tokens?.refreshToken ?? expect.fail("a family was lost"));
  for (let at = 0; at < next.length; at += 2) expect(next[at]).toBe(next[at + 1]);
  expect(new Set(next).size).toBe(200);
  const passes = await Promise.all(given.map((tokens, at) => machineAt(at).find(tokens?.accessToken ?? "")));
  expect(passes.filter((pass) => pass !== null)).toHaveLength(400);
  const listed = await Promise.all(held.map((_, at) => machineAt(at).list(personAt(at))));
  expect(listed.map((authorizations) => authorizations.length)).toEqual(Array(200).fill(1));
});
