import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { startAuthServer } from "../oauth/auth-server.ts";
import { type BrowserJar, createBrowserJar } from "../support/browser-jar.ts";
import { ensureBuilt } from "../support/built-cli.ts";
import { freePort, letClientIn } from "../support/company-client.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";
import { listen, statelessAnswer } from "../support/loopback-mcp.ts";
import { newMachine, runHere, startUpProcess } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

const GUIDE = readFileSync(new URL("../../docs/guides/each-persons-own-github.md", import.meta.url), "utf8");
const [, ENTRY = ""] = /```yaml\n(mcpServers:\n {2}github:[\s\S]*?)```/.exec(GUIDE) ?? [];
const SECRET = "github-client-secret-canary-0123456789";

/** A server as GitHub is: its authorization server is below a path, takes no clients that register, and names no `iss`. */
async function startGitHub() {
  const auth = await startAuthServer();
  auth.metadata = {
    ...{ registration_endpoint: undefined, authorization_response_iss_parameter_supported: undefined },
    ...{ revocation_endpoint: `${auth.origin}/revoke` },
  };
  auth.iss = undefined;
  auth.lifetime = null;
  const { answer } = statelessAnswer();
  const asked: string[] = [];
  const server = await listen((request, response, body) => {
    if (request.url?.startsWith("/.well-known/oauth-protected-resource")) {
      const description = { resource: server.url, authorization_servers: [auth.issuer], scopes_supported: ["repo"] };
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(description));
    }
    const owner = auth.owners.get(request.headers.authorization?.replace(/^Bearer /, "") ?? "");
    const place = `${server.origin}/.well-known/oauth-protected-resource/mcp`;
    if (owner === undefined || !auth.valid.has(request.headers.authorization?.slice("Bearer ".length) ?? ""))
      return response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${place}"` }).end("");
    if (body.includes('"tools/call"')) asked.push(owner);
    return answer(request, response, body);
  });
  return { auth, server, asked };
}

test("the guide's entry: each person's calls are their own at the server, and disconnecting ends one person's alone", {
  timeout: 120_000,
}, async () => {
  const github = await startGitHub();
  const provider = await startIdentityProvider();
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  await provider.setClient({
    ...{ client_id: "toolcrib", client_secret: "login-secret", redirect_uris: [`${publicUrl}/login/callback`] },
    ...{ grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
  });
  const machine = newMachine();
  const env = { ...machine.env, GITHUB_CLIENT_ID: "known-client", GITHUB_CLIENT_SECRET: SECRET };
  const file = join(machine.home, ".config/toolcrib/config.yaml");
  mkdirSync(dirname(file), { recursive: true });
  const entry = ENTRY.replace("https://api.githubcopilot.com/mcp/", github.server.url);
  expect(entry).toContain("credentials: person");
  writeFileSync(
    file,
    `${entry}permissions: { allow: ["*"] }
toolSearch: off
gateway:
  publicUrl: ${publicUrl}
  profiles: { everybody: {} }
  auth:
    login: { issuer: "${provider.issuer}", clientId: toolcrib, clientSecret: login-secret }
    people: [{ everybody: true, profile: everybody }]
`,
  );
  const up = await startUpProcess({ cwd: machine.cwd, env }, "--port", String(port));
  const run = (...argv: readonly string[]) => runHere(argv, { cwd: machine.cwd, env });
  const comeIn = async (name: string): Promise<{ jar: BrowserJar; client: Awaited<ReturnType<typeof up.connect>> }> => {
    await provider.setUser(name, { name, groups: [] });
    await provider.signIn(name);
    const jar = createBrowserJar();
    await jar.open(`${publicUrl}/me`);
    const { access } = await letClientIn(jar, publicUrl);
    return { jar, client: await up.connect("", access) };
  };
  const alice = await comeIn("alice");
  const bob = await comeIn("bob");

  // Before anybody has logged in there, a list is not empty: it names the server, and asks for the login.
  const { tools } = await alice.client.listTools();
  const before = JSON.stringify(tools);
  expect(before).toContain("github");
  const echo = { name: "github__echo", arguments: { text: "hello" } };

  for (const [name, { jar, client }] of Object.entries({ alice, bob })) {
    github.auth.user = `${name} at GitHub`;
    const done = await jar.submit(await jar.open(`${publicUrl}/connect?server=github`));
    expect(done.text).toContain("You are connected");
    await vi.waitFor(async () => {
      const listed = await client.listTools();
      expect(listed.tools.map((tool) => tool.name)).toContain("github__echo");
    }, 20_000);
    expect(JSON.stringify(await client.callTool(echo))).toContain("hello");
  }
  await alice.client.callTool(echo);
  expect(github.asked).toEqual(["alice at GitHub", "bob at GitHub", "alice at GitHub"]);
  expect(github.auth.asked("/authorize").map(({ params }) => params.get("scope"))).toEqual([
    ...["repo read:org", "repo read:org"],
  ]);

  // Who has logged in, and the end of it for one of them.
  const { out } = await run("logins");
  expect(out).toMatch(/alice@127\.0\.0\.1:\d+ +github +login +\d{4}-\d\d-\d\d +in use/);
  expect(out).toMatch(/bob@127\.0\.0\.1:\d+ +github +login/);
  const forgotten = await run("logins", "forget", "github", "--person", "alice", "--yes");
  expect([forgotten.status, forgotten.out]).toEqual([0, expect.stringContaining("Its tokens are revoked.")]);
  const left = JSON.parse((await run("logins", "--json")).out).logins;
  expect(left).toMatchObject([{ person: expect.stringMatching(/^bob@/), server: "github", trouble: null }]);
  await vi.waitFor(async () => {
    const said = await alice.client.callTool(echo).catch((error: unknown) => String(error));
    expect(JSON.stringify(said)).toMatch(/login/);
  }, 20_000);
  expect(JSON.stringify(await bob.client.callTool(echo))).toContain("hello");
  const opened = await run("logins", "connect", "github", "--no-open");
  expect(opened.out).toContain(`${publicUrl}/connect?server=github`);
  expect((await run("logins", "connect", "gitlab")).err).toContain("these have: github");
  await up.end();
  const log = readFileSync(up.document.audit, "utf8");
  expect(log).toContain("logged in at github");
  for (const secret of [SECRET, ...github.auth.given]) expect(log + up.said()).not.toContain(secret);
});
