import { expect, test } from "vitest";
import type { AuthClient, Registrations } from "../../src/sources/mcp/oauth/auth-client.ts";
import {
  type BeginServerLoginOptions,
  beginServerLogin,
  type PendingLogin,
} from "../../src/sources/mcp/oauth/begin-server-login.ts";
import { finishServerLogin } from "../../src/sources/mcp/oauth/finish-server-login.ts";
import type { Returned } from "../../src/sources/mcp/oauth/redirect.ts";
import { startAuthServer } from "./auth-server.ts";
import { browse, startProtectedMcp } from "./protected-mcp.ts";

const signal = new AbortController().signal;
const REDIRECT = "https://tools.example.com/connect/callback";
const DOCUMENT = "https://tools.example.com/oauth/client.json";

test("a login begun by one process is finished by another, with what it wrote down in between", async () => {
  const { auth, server, begin } = await prepare();
  const { address, pending } = await begin();
  expect(address.searchParams.get("redirect_uri")).toBe(REDIRECT);
  expect(address.searchParams.get("state")).toBe("state-of-the-test");
  const stored: PendingLogin = JSON.parse(JSON.stringify(pending));
  const login = await finishServerLogin(stored, readBack(await browse(address.href)), { signal });
  expect(login).toMatchObject({ url: server.url, issuer: auth.issuer, resource: server.url });
  expect(auth.valid.get(login.access)).toBe(server.url);
});

test("an answer of another issuer, or of none where one is named, sends no code anywhere (RFC 9207)", async () => {
  const { auth, begin } = await prepare();
  for (const iss of ["https://other.example", undefined]) {
    auth.iss = iss;
    const { address, pending } = await begin();
    const back = readBack(await browse(address.href));
    await expect(finishServerLogin(pending, back, { signal })).rejects.toMatchObject({ code: "login.failed" });
  }
  expect(auth.asked("/token")).toEqual([]);
});

test("our own document says who we are where it is read, then a registered client, which is kept", async () => {
  const { auth, begin } = await prepare();
  const clientOf = async (options: Partial<BeginServerLoginOptions>) =>
    (await begin(options)).address.searchParams.get("client_id");
  const kept = new Map<string, AuthClient>();
  const registrations: Registrations = {
    find: async (...place) => kept.get(place.join(" ")) ?? null,
    keep: async (issuer, redirect, client) => void kept.set(`${issuer} ${redirect}`, client),
  };
  // It does not say that it reads documents.
  const first = await clientOf({ document: DOCUMENT, registrations });
  expect(first).toMatch(/^client-/);
  expect(await clientOf({ registrations })).toBe(first);
  expect(auth.asked("/register").map(({ body }) => JSON.parse(body))).toEqual([
    expect.objectContaining({ redirect_uris: [REDIRECT], application_type: "web" }),
  ]);
  auth.metadata = { client_id_metadata_document_supported: true };
  expect(await clientOf({ document: DOCUMENT, registrations })).toBe(DOCUMENT);
  // It takes no client without a secret, and the document has none.
  auth.metadata = { ...auth.metadata, token_endpoint_auth_methods_supported: ["client_secret_basic"] };
  expect(await clientOf({ document: DOCUMENT, registrations })).toBe(first);
  const settings = { clientId: "known-client", clientSecret: "its secret", scope: null };
  expect(await clientOf({ document: DOCUMENT, registrations, settings })).toBe("known-client");
  expect(auth.asked("/register")).toHaveLength(1);
});

test("a server that says nothing about logins has its places in its entry: no resource, an audience, no document", async () => {
  const { auth, begin } = await prepare();
  // It names itself as it likes, and nothing in the entry says how.
  auth.iss = "https://its.own.name";
  const settings = {
    ...{ clientId: "known-client", clientSecret: "its secret", scope: "repo", resource: null, audience: "api" },
    ...{ authorizationUrl: `${auth.origin}/authorize`, tokenUrl: `${auth.origin}/token` },
    revocationUrl: `${auth.origin}/revoke`,
  };
  const { address, pending } = await begin({ settings });
  expect(Object.fromEntries(address.searchParams)).toEqual({
    ...{ response_type: "code", client_id: "known-client", code_challenge_method: "S256", scope: "repo" },
    ...{ redirect_uri: REDIRECT, state: "state-of-the-test", audience: "api" },
    code_challenge: expect.any(String),
  });
  const login = await finishServerLogin(pending, readBack(await browse(address.href)), { signal });
  expect(login).toMatchObject({ resource: null, revocation: { endpoint: `${auth.origin}/revoke` } });
  const form = new URLSearchParams(auth.asked("/token")[0]?.body);
  expect(form.has("resource")).toBe(false);
  expect(auth.seen.map(({ path }) => path)).toEqual(["/authorize", "/token"]);
});

test("what tokens are for is as the entry says: another resource than the server's, or none", async () => {
  const { begin } = await prepare();
  const resourceOf = async (resource: string | null) => {
    const settings = { clientId: null, clientSecret: null, scope: null, resource };
    return (await begin({ settings })).address.searchParams.get("resource");
  };
  expect(await resourceOf("https://api.example/everything")).toBe("https://api.example/everything");
  expect(await resourceOf("omit")).toBe(null);
});

async function prepare() {
  const auth = await startAuthServer();
  const server = await startProtectedMcp(auth);
  const begin = (options: Partial<BeginServerLoginOptions> = {}) =>
    beginServerLogin({
      ...{ server: new URL(server.url), headers: {}, redirect: REDIRECT, state: "state-of-the-test", signal },
      settings: { clientId: null, clientSecret: null, scope: null },
      ...options,
    });
  return { auth, server, begin };
}

function readBack(address: string): Returned {
  const { searchParams: params } = new URL(address);
  return { code: params.get("code"), error: params.get("error"), iss: params.get("iss") ?? undefined };
}
