import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Io } from "../../src/surfaces/cli/terminal/io.ts";
import { createDeferred } from "../../src/system/time/deferred.ts";
import { createMachine, runCli } from "../support/run-cli.ts";
import { type AuthServer, startAuthServer } from "./auth-server.ts";
import { browse, findAddress, startProtectedMcp } from "./protected-mcp.ts";

// The first command loads everything that a command may need, which takes a while on a busy machine.
test("after a login in the browser, list and call work, with the token in no output", async () => {
  const { auth, server, machine, run, login } = await setUp();
  const before = await run("list", "--json");
  expect(before.out).toContain("server.needs-auth");
  expect(before.out).toContain("toolcrib servers login demo");

  const done = await login("--log-level", "debug");
  expect(done.status, done.err).toBe(0);
  expect(done.out).toContain(`Logged in to demo at ${auth.issuer}.`);
  expect(done.out).toContain("connected");

  const list = await run("list", "--json", "--log-level", "debug");
  expect(list.out).toContain("demo/echo");
  const call = await run("call", "demo/echo", "--args", '{"text":"hello"}', "--json", "--mode", "bypass");
  expect(call.status, call.out).toBe(0);
  expect(call.out).toContain("hello");
  const servers = await run("servers", "--json");
  expect(JSON.parse(servers.out).servers).toContainEqual(expect.objectContaining({ name: "demo", state: "connected" }));

  for (const { out, err } of [before, done, list, call, servers]) expectNoSecret(auth, out + err);
  const [file] = loginFiles(machine.home);
  expect(file?.mode).toBe(0o600);
  expect(statSync(join(machine.home, ".local/state/toolcrib/logins")).mode & 0o777).toBe(0o700);
  expect(JSON.parse(file?.text ?? "")).toMatchObject({ url: server.url, issuer: auth.issuer, resource: server.url });
});

test("the login asks with PKCE, a state, the resource and the server's scopes, as a client registered for this redirect", async () => {
  const { auth, server, login } = await setUp();
  await login();
  const [asked] = auth.asked("/authorize");
  const redirect = asked?.params.get("redirect_uri") ?? "";
  expect(redirect).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  expect(Object.fromEntries(asked?.params ?? [])).toMatchObject({
    response_type: "code",
    code_challenge_method: "S256",
    resource: server.url,
    scope: "tools",
    state: expect.stringMatching(/^[\w-]{43}$/),
  });
  const registered = JSON.parse(auth.asked("/register")[0]?.body ?? "{}");
  expect(registered).toMatchObject({ redirect_uris: [redirect], token_endpoint_auth_method: "none" });
  const form = new URLSearchParams(auth.asked("/token")[0]?.body);
  expect(form.get("resource")).toBe(server.url);
  expect(form.get("code_verifier")).toMatch(/^[\w.~-]{43,128}$/);
});

test("without a browser on this machine, the address of the last page can be pasted", async () => {
  const { auth, run } = await setUp();
  const asked = createDeferred<string>();
  const typed = createDeferred<(line: string) => void>();
  const onLine: Io["onLine"] = (listener) => {
    typed.resolve(listener);
    return () => {};
  };
  const running = run.with({ onLine, onErr: (text) => asked.resolve(findAddress(text) ?? "") })(
    ...["servers", "login", "demo", "--json"],
  );
  const type = await typed.promise;
  type("https://elsewhere.example/callback?code=x&state=y");
  type(await browse(await asked.promise));
  const done = await running;
  expect(done.err).toContain("not the address this login returns to");
  expect(JSON.parse(done.out)).toMatchObject({
    server: { state: "connected" },
    login: { issuer: auth.issuer, renews: true },
  });
  expectNoSecret(auth, done.out + done.err);
});

test("a configured client is used as it is, and none is registered", async () => {
  const { auth, login } = await setUp({ oauth: { clientId: "known-client", scope: "read write" } });
  expect((await login()).status).toBe(0);
  expect(auth.asked("/register")).toEqual([]);
  expect(auth.asked("/authorize")[0]?.params.get("client_id")).toBe("known-client");
  expect(auth.asked("/authorize")[0]?.params.get("scope")).toBe("read write");
});

test("a document about the client is named only where the authorization server reads such documents", async () => {
  const { auth, login } = await setUp({ oauth: { clientId: "https://client.example/toolcrib.json" } });
  const refused = await login();
  expect(refused.status).toBe(1);
  expect(refused.out).toContain("does not read documents about clients");
  expect(auth.asked("/authorize")).toEqual([]);
});

test("logging out forgets the tokens, and the server wants a login again", async () => {
  const { machine, run, login } = await setUp();
  await login();
  const { out } = await run("servers", "logout", "demo", "--json");
  expect(JSON.parse(out)).toEqual({ name: "demo", removed: true, revoked: false });
  expect(loginFiles(machine.home)).toEqual([]);
  expect((await run("servers", "logout", "demo")).status).toBe(1);
  expect((await run("list", "--json")).out).toContain("server.needs-auth");
});

test("logging out revokes both tokens at the place that was named, the one that renews first, and prints neither", async () => {
  const { auth, machine, run, login } = await setUp();
  auth.metadata = { revocation_endpoint: `${auth.origin}/revoke` };
  await login();
  expect(auth.valid.size).toBe(1);
  const done = await run("servers", "logout", "demo", "--log-level", "debug");
  expect(done).toMatchObject({ status: 0, out: "Forgot the login at demo. Its tokens are revoked.\n" });
  const forms = auth.asked("/revoke").map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  const client_id = expect.stringMatching(/^client-/);
  expect(forms).toEqual([
    { token_type_hint: "refresh_token", token: expect.stringMatching(/^refresh-/), client_id },
    { token_type_hint: "access_token", token: expect.stringMatching(/^access-/), client_id },
  ]);
  expect(auth.valid.size).toBe(0);
  expect(loginFiles(machine.home)).toEqual([]);
  expectNoSecret(auth, done.out + done.err);
});

test("a client with a secret says so where tokens are revoked as where they are given", async () => {
  const { auth, run, login } = await setUp({ oauth: { clientId: "known-client", clientSecret: "a-client-secret" } });
  auth.metadata = { revocation_endpoint: `${auth.origin}/revoke` };
  await login();
  expect(JSON.parse((await run("servers", "logout", "demo", "--json")).out)).toMatchObject({ revoked: true });
  const basic = `Basic ${Buffer.from("known-client:a-client-secret").toString("base64")}`;
  expect(auth.asked("/revoke").map(({ authorization }) => authorization)).toEqual([basic, basic]);

  auth.metadata = { ...auth.metadata, revocation_endpoint_auth_methods_supported: ["client_secret_post"] };
  await login();
  await run("servers", "logout", "demo");
  const form = new URLSearchParams(auth.asked("/revoke").at(-1)?.body);
  expect([form.get("client_id"), form.get("client_secret")]).toEqual(["known-client", "a-client-secret"]);
});

test("a login is forgotten also where its tokens cannot be revoked, and what a server says about that is not repeated", async () => {
  const { auth, machine, run, login } = await setUp();
  auth.metadata = { revocation_endpoint: `${auth.origin}/revoke` };
  const logout = async () => {
    const done = await run("servers", "logout", "demo");
    expect(done.status).toBe(0);
    expect(loginFiles(machine.home)).toEqual([]);
    expectNoSecret(auth, done.out + done.err);
    return done.out;
  };
  await login();
  auth.refuses = "revocation";
  expect(await logout()).toContain(
    "could not be revoked and count until they run out: its authorization server answered with HTTP 503.",
  );
  auth.refuses = "nothing";

  auth.metadata = { revocation_endpoint: "http://evil.example/revoke" };
  expect((await login()).status).toBe(0);
  expect(await logout()).toContain("The revocation endpoint that was named cannot be used");
  auth.metadata = { revocation_endpoint: "http://127.0.0.1:1/revoke" };
  await login();
  expect(await logout()).toContain("could not be reached (ECONNREFUSED)");
  auth.metadata = {};
  await login();
  expect(await logout()).toContain("offers no way to revoke tokens");
});

test("a login that the person or their server refuses is an error, and nothing is kept", async () => {
  const { auth, machine, login } = await setUp();
  auth.refuses = "login";
  const done = await login("--json");
  expect(done.status).toBe(1);
  expect(JSON.parse(done.out).error).toMatchObject({
    code: "login.failed",
    text: expect.stringContaining("access_denied"),
  });
  expect(loginFiles(machine.home)).toEqual([]);
});

test("a server that offers no login says where a token goes, and one with its own header is left to that", async () => {
  const { auth, run } = await setUp();
  auth.metadata = { registration_endpoint: undefined };
  const steps = await run("servers", "login", "demo");
  expect(steps.out).toContain("register one there and set oauth.clientId");
  expect(steps.out).toContain("headers: { Authorization:");

  const { run: other, auth: unasked } = await setUp({ headers: { Authorization: "Bearer wrong-token" } });
  const own = await other("servers", "login", "demo");
  expect(own.out).toContain("It refused the Authorization header");
  expect(unasked.asked("/authorize")).toEqual([]);
});

async function setUp(entry: Record<string, unknown> = {}) {
  const auth = await startAuthServer();
  const server = await startProtectedMcp(auth);
  const machine = createMachine({ user: JSON.stringify({ mcpServers: { demo: { url: server.url, ...entry } } }) });
  const base = { cwd: machine.cwd, env: { HOME: machine.home } };
  const withMore =
    (more: Parameters<typeof runCli>[1]) =>
    (...argv: readonly string[]) =>
      runCli(argv, { ...base, ...more });
  const run = Object.assign(withMore({}), { with: withMore });
  const login = (...argv: readonly string[]) => {
    const onErr = (text: string) => {
      const address = findAddress(text);
      if (address !== null) void browse(address).then((back) => fetch(back));
    };
    return run.with({ onErr })("servers", "login", "demo", ...argv);
  };
  return { auth, server, machine, run, login };
}

function loginFiles(home: string) {
  const folder = join(home, ".local/state/toolcrib/logins");
  return (existsSync(folder) ? readdirSync(folder) : []).map((name) => {
    const path = join(folder, name);
    return { name, mode: statSync(path).mode & 0o777, text: readFileSync(path, "utf8") };
  });
}

function expectNoSecret(auth: AuthServer, text: string): void {
  expect(auth.given.length).toBeGreaterThan(0);
  for (const secret of auth.given) expect(text).not.toContain(secret);
}
