import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { logIn } from "../../src/sources/mcp/oauth/log-in.ts";
import { createLoginStore } from "../../src/sources/mcp/oauth/login-store.ts";
import { createTokens } from "../../src/sources/mcp/oauth/tokens.ts";
import { listen } from "../support/loopback-mcp.ts";
import { call, openSource, reaches } from "../support/mcp-sources.ts";
import { startAuthServer } from "./auth-server.ts";
import { browse, type Oddities, startProtectedMcp } from "./protected-mcp.ts";

// The first source loads the client package, which takes a while on a busy machine.
const NEVER = new AbortController().signal;

test("the file of a login is its owner's alone, and becomes that again when somebody has opened it to others", async () => {
  const { server, folder } = await loggedIn();
  const path = join(folder, readdirSync(folder)[0] ?? "");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  chmodSync(path, 0o644);
  expect(await createLoginStore(folder, new URL(server.url)).read()).not.toBeNull();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a token that has run out is renewed before it is sent, and the new one is kept", async () => {
  const { auth, server, folder, edit } = await loggedIn();
  const [old] = auth.valid.keys();
  edit((login) => ({ ...login, expires: 1 }));
  const source = openSource({ url: server.url }, { logins: folder });
  await reaches(source, "connected");
  expect(auth.asked("/token")).toHaveLength(2);
  const form = new URLSearchParams(auth.asked("/token")[1]?.body);
  expect(form.get("grant_type")).toBe("refresh_token");
  expect(form.get("resource")).toBe(server.url);
  for (const { headers } of server.requests) expect(headers.authorization ?? "").not.toContain(old);
  expect(await createLoginStore(folder, new URL(server.url)).read()).toMatchObject({
    access: [...auth.valid.keys()].at(-1),
    issuer: auth.issuer,
  });
});

test("a token that is refused before its time is renewed once, and the call goes through", async () => {
  const { auth, server, folder } = await loggedIn();
  const source = openSource({ url: server.url }, { logins: folder });
  await reaches(source, "connected");
  auth.valid.clear();
  const result = await call(source, "echo", { text: "again" });
  expect(result).toMatchObject({ resultType: "success", textResultForLlm: "again" });
  expect(auth.asked("/token")).toHaveLength(2);
});

test("many requests and several processes renew a token once, though it works only once", async () => {
  const { auth, server, folder } = await loggedIn();
  const [old = ""] = auth.valid.keys();
  const url = new URL(server.url);
  const each = () => createTokens({ server: url, store: createLoginStore(folder, url) });
  const [one, two] = [each(), each()];
  const renewed = await Promise.all(
    [one, one, two, two, one].map((tokens) => tokens.renew(old, NEVER, { url, status: 401, header: null })),
  );
  expect(new Set(renewed).size).toBe(1);
  expect(auth.valid.has(renewed[0] ?? "")).toBe(true);
  expect(auth.asked("/token")).toHaveLength(2);
});

test("a renewal that is refused leaves the server wanting a login, and the tokens are forgotten", async () => {
  const { auth, server, folder } = await loggedIn();
  const source = openSource({ url: server.url }, { logins: folder });
  await reaches(source, "connected");
  auth.valid.clear();
  auth.refuses = "refresh";
  await call(source, "echo", { text: "x" }).catch(() => undefined);
  await reaches(source, "needs-auth");
  expect(source.status.next).toContain("toolcrib servers login");
  expect(readdirSync(folder)).toEqual([]);
  expectHidden(auth.given, JSON.stringify(source.status));
});

test("an authorization server that is down for a while costs no login: the start has failed, and is tried again", async () => {
  const { auth, server, folder, edit } = await loggedIn();
  edit((login) => ({ ...login, expires: 1 }));
  auth.isDown = true;
  const source = openSource({ url: server.url }, { logins: folder, limits: { backoffFirst: 20, backoffMost: 20 } });
  await reaches(source, "failed");
  expect(source.status.reason).toContain("renewing it");
  expectHidden(auth.given, JSON.stringify(source.status));
  auth.isDown = false;
  await reaches(source, "connected");
});

test("a server that waits for a login goes on by itself once somebody has logged in", async () => {
  const { server, folder, login } = await prepared();
  const source = openSource({ url: server.url }, { logins: folder, limits: { loginWatch: 10 } });
  await reaches(source, "needs-auth");
  await login();
  await reaches(source, "connected");
});

test("a token never follows a redirect to another place, and never goes to another server", async () => {
  const elsewhere = await listen((_request, response) => response.writeHead(404).end());
  let isMoved = false;
  const first: Oddities["first"] = (_request, response) => {
    if (isMoved) response.writeHead(307, { location: elsewhere.url }).end();
    return isMoved;
  };
  const { server, folder } = await loggedIn({ first });
  isMoved = true;
  const source = openSource({ url: server.url }, { logins: folder });
  await reaches(source, "failed");
  expect(elsewhere.requests).toEqual([]);

  const tokens = createTokens({ server: new URL(server.url), store: createLoginStore(folder, new URL(server.url)) });
  expect(await tokens.current(new URL(server.url), NEVER)).toMatch(/^access-/);
  expect(await tokens.current(new URL(elsewhere.url), NEVER)).toBeNull();
  expect(await createLoginStore(folder, new URL(elsewhere.url)).read()).toBeNull();
});

test("a renewal goes to the issuer of the login, whatever the server names since", async () => {
  const other = await startAuthServer();
  let issuer: string | null = null;
  const described: Oddities["described"] = (description) =>
    issuer === null ? description : { ...description, authorization_servers: [issuer] };
  const { auth, server, folder } = await loggedIn({ described });
  issuer = other.issuer;
  auth.valid.clear();
  const source = openSource({ url: server.url }, { logins: folder });
  await reaches(source, "connected");
  expect(other.seen).toEqual([]);
});

test("a login for one server does not count for another file that claims it, and an entry's own header wins", async () => {
  const { server, folder, edit } = await loggedIn();
  const own = openSource({ url: server.url, headers: { Authorization: "Bearer my-own-token" } }, { logins: folder });
  await reaches(own, "needs-auth");
  const before = server.requests.length;
  expect(server.requests.slice(-1)[0]?.headers.authorization).toBe("Bearer my-own-token");
  edit((login) => ({ ...login, url: "https://elsewhere.example/mcp" }));
  const source = openSource({ url: server.url }, { logins: folder });
  await reaches(source, "needs-auth");
  for (const { headers } of server.requests.slice(before)) expect(headers.authorization).toBeUndefined();
});

test("what a server repeats of a token is hidden in what is said about it", async () => {
  const { auth, server, folder } = await loggedIn();
  const url = new URL(server.url);
  const tokens = createTokens({ server: url, store: createLoginStore(folder, url) });
  const token = await tokens.current(url, NEVER);
  expect(tokens.hide(`you sent ${token}, did you not?`)).toBe("you sent [hidden], did you not?");
  const source = openSource({ url: server.url }, { logins: folder });
  await reaches(source, "connected");
  auth.valid.clear();
  auth.refuses = "refresh";
  await source.restart();
  await reaches(source, "needs-auth");
  expectHidden(auth.given, JSON.stringify([source.status, source.readStderr()]));
});

async function prepared(odd: Oddities = {}) {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-logins-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const auth = await startAuthServer();
  const server = await startProtectedMcp(auth, odd);
  const url = new URL(server.url);
  const login = () =>
    logIn({
      server: url,
      headers: {},
      settings: { clientId: null, clientSecret: null, scope: null, callbackPort: null },
      store: createLoginStore(folder, url),
      signal: NEVER,
      patience: 30_000,
      show: (address) => void browse(address.href).then((back) => fetch(back)),
    });
  const edit = (change: (login: Record<string, unknown>) => Record<string, unknown>): void => {
    const [name = ""] = readdirSync(folder);
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")))));
  };
  return { auth, server, folder, login, edit };
}

async function loggedIn(odd: Oddities = {}) {
  const all = await prepared(odd);
  await all.login();
  return all;
}

function expectHidden(secrets: readonly string[], text: string): void {
  for (const secret of secrets) expect(text).not.toContain(secret);
}
