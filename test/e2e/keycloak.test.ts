import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { type BrowserJar, createBrowserJar } from "../support/browser-jar.ts";
import { ensureBuilt } from "../support/built-cli.ts";
import { freePort, letClientIn } from "../support/company-client.ts";
import { importRealm, type Keycloak, type KeycloakRealm, type RealmOptions } from "../support/keycloak-realm.ts";
import { listsUntil, newMachine, startUpProcess } from "../support/running-up.ts";

/** `npm run keycloak` starts one and says where it is. */
const { TOOLCRIB_KEYCLOAK: GIVEN } = process.env;
const RECHECK = 2_000;
/** A busy machine asks somewhat later than that. */
const SOON = { timeout: 60_000, interval: 100 };
const SECRET = "login-secret-canary-0123456789";
const ECHO = join(import.meta.dirname, "../fixtures/echo-server.cjs");
const ALL = ["github__change", "github__echo", "github__exit", "github__pid", "github__wait"];

beforeAll(ensureBuilt, 120_000);

type Realm = Pick<RealmOptions, "hasFullPath" | "users" | "groups">;

/** A gateway that logs its people in at a realm of its own. */
async function openCompany(realmOptions: Realm, { scopes = ["offline_access"], recheck = RECHECK } = {}) {
  const keycloak: Keycloak = JSON.parse(GIVEN ?? "");
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const realm = await importRealm(keycloak, { publicUrl, clientSecret: SECRET, ...realmOptions });
  const machine = newMachine();
  const config = {
    mcpServers: { github: { command: process.execPath, args: [ECHO] } },
    toolSearch: "off",
    gateway: {
      publicUrl,
      profiles: { all: {}, echo: { include: ["github/echo"] } },
      auth: {
        login: {
          issuer: realm.issuer,
          clientId: "toolcrib",
          clientSecret: "${TOOLCRIB_LOGIN_SECRET}",
          scopes: ["openid", "profile", "email", ...scopes],
        },
        recheck,
        people: [
          { everybody: true, profile: "echo" },
          { group: ["engineering", "engineering/backend"], profile: "all" },
        ],
      },
    },
  };
  const file = join(machine.home, ".config/toolcrib/config.yaml");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(config));
  const env = { ...machine.env, TOOLCRIB_LOGIN_SECRET: SECRET };
  const up = await startUpProcess({ cwd: machine.cwd, env }, "--port", String(port));
  onTestFinished(() => up.end());
  const log = (): string => readFileSync(up.document.audit, "utf8");
  return { publicUrl, realm, up, log };
}

/** As a person does it: opens their page, and writes name and password into Keycloak's. */
async function logIn(publicUrl: string, realm: KeycloakRealm, user: string, browser = createBrowserJar()) {
  const asked = await browser.open(`${publicUrl}/me`);
  expect(asked.url).toContain(`${realm.issuer}/`);
  const page = await browser.submit(asked, { username: user, password: realm.password });
  expect(page, page.text).toMatchObject({ url: `${publicUrl}/me`, status: 200 });
  return { browser, page };
}

const statusOf = async (publicUrl: string, token: string): Promise<number> =>
  (await fetch(`${publicUrl}/mcp`, { headers: { authorization: `Bearer ${token}` } })).status;

/** Where a browser with no login any more ends up. */
const whereIs = async (browser: BrowserJar, publicUrl: string, realm: KeycloakRealm): Promise<string> => {
  const { url } = await browser.open(`${publicUrl}/me`, (next) => next.startsWith(realm.issuer));
  return url.startsWith(realm.issuer) ? "asked to log in" : url;
};

test.skipIf(GIVEN === undefined)(
  "Keycloak: groups with their path come in, and who is disabled there is out within auth.recheck",
  { timeout: 300_000 },
  async () => {
    const users = { alice: ["/engineering/backend"], bob: ["/sales"] };
    const { publicUrl, realm, up, log } = await openCompany({ hasFullPath: true, users });
    const alice = await logIn(publicUrl, realm, "alice");
    const bob = await logIn(publicUrl, realm, "bob");
    expect(alice.page.text).toContain("alice Example");
    const [first, second] = [await letClientIn(alice.browser, publicUrl), await letClientIn(bob.browser, publicUrl)];
    const client = await up.connect("", first.access);
    const other = await up.connect("", second.access);
    await vi.waitFor(async () => {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(ALL);
      expect((await other.listTools()).tools.map(({ name }) => name)).toEqual(["github__echo"]);
    }, SOON);
    const called = await client.callTool({ name: "github__echo", arguments: { text: "hello" } });
    expect(JSON.stringify(called.content)).toContain("hello");

    await realm.setEnabled("alice", false);
    await vi.waitFor(async () => expect(await statusOf(publicUrl, first.access)).toBe(401), SOON);
    expect(await whereIs(alice.browser, publicUrl, realm)).toBe("asked to log in");
    expect(await statusOf(publicUrl, second.access)).not.toBe(401);
    expect(log()).toContain(`"principal":"${await realm.subjectOf("alice")}@`);
    for (const canary of [SECRET, realm.password, first.access, first.code]) expect(log()).not.toContain(canary);
  },
);

test.skipIf(GIVEN === undefined)(
  "Keycloak: groups by name, which count at once when they change, also after its keys were rotated",
  { timeout: 300_000 },
  async () => {
    const { publicUrl, realm, up } = await openCompany({
      ...{ hasFullPath: false, users: { alice: ["/sales"] }, groups: ["/company/engineering"] },
    });
    const alice = await logIn(publicUrl, realm, "alice");
    const { access } = await letClientIn(alice.browser, publicUrl);
    const client = await up.connect("", access);
    await listsUntil(client, (tools) => tools.join() === "github__echo");
    await realm.join("alice", "/company/engineering");
    await vi.waitFor(async () => {
      const now = await up.connect("", access);
      expect((await now.listTools()).tools.map(({ name }) => name)).toEqual(ALL);
    }, SOON);

    const before = await realm.signingKey();
    await realm.rotateKeys();
    expect(await realm.signingKey()).not.toBe(before);
    await realm.leave("alice", "/company/engineering");
    await vi.waitFor(async () => {
      const now = await up.connect("", access);
      expect((await now.listTools()).tools.map(({ name }) => name)).toEqual(["github__echo"]);
    }, SOON);
    await logIn(publicUrl, realm, "alice");
  },
);

/** Keycloak keeps no other session of a login that asks for `offline_access`, and leaves that one alone in a logout. */
const LOGOUTS = [
  { what: "a logout", scopes: [], act: (realm: KeycloakRealm) => realm.logOut("alice") },
  {
    what: "taking offline sessions back",
    scopes: ["offline_access"],
    act: (realm: KeycloakRealm) => realm.endOfflineSessions("alice"),
  },
];

test.skipIf(GIVEN === undefined).each(LOGOUTS)(
  "Keycloak: $what there ends the browser and what was given in it, long before auth.recheck",
  { timeout: 300_000 },
  async ({ scopes, act }) => {
    const settings = { scopes, recheck: 900_000 };
    const { publicUrl, realm, log } = await openCompany({ hasFullPath: false, users: { alice: [] } }, settings);
    const { browser } = await logIn(publicUrl, realm, "alice");
    const { access } = await letClientIn(browser, publicUrl);
    expect(await statusOf(publicUrl, access)).not.toBe(401);
    await act(realm);
    await vi.waitFor(async () => expect(await statusOf(publicUrl, access)).toBe(401), SOON);
    expect(await whereIs(browser, publicUrl, realm)).toBe("asked to log in");
    await vi.waitFor(() => expect(log()).toContain(`was logged out in one browser by ${realm.issuer}`), SOON);
  },
);
