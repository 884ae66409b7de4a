import { createHash, randomBytes } from "node:crypto";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { expect, test } from "vitest";
import { createSlackAccounts } from "../../src/runtime/approvals/slack-accounts.ts";
import type { PersonChange } from "../../src/runtime/people/contract.ts";
import { peopleValues } from "../../src/runtime/people/people-values.ts";
import type { BrowserJar } from "../support/browser-jar.ts";
import { openLoginWorld } from "./login-world.ts";

const RECHECK = 1_000;
/** What a loaded machine may take besides. */
const PATIENCE = { timeout: 8_000 };

/** A world in which people have logged in and given clients access. */
async function openRecheckWorld(recheck = RECHECK) {
  const world = await openLoginWorld({ auth: { recheck } });
  const { provider, authorizations, origin, people } = world;
  const changes: PersonChange[] = [];
  people.follow((change) => changes.push(change));
  const personOf = (subject: string) => ({ issuer: provider.issuer, subject });
  /** A client gets tokens in a browser in which somebody is logged in. */
  const give = async (jar: BrowserJar, subject: string, client: string) => {
    const verifier = randomBytes(32).toString("base64url");
    const secret = (jar.cookie(origin, "toolcrib") ?? "").split(".")[1] ?? "";
    const code = await authorizations.allow({
      ...{ caller: { ...personOf(subject), client }, clientName: client, scopes: ["tools:read"] },
      ...{ redirect: "http://localhost/cb", browser: createHash("sha256").update(secret).digest("base64url") },
      challenge: createHash("sha256").update(verifier).digest("base64url"),
    });
    const tokens = await authorizations.redeem(code, { client, redirect: "http://localhost/cb", verifier });
    return async () => (await authorizations.find(tokens?.accessToken ?? "")) !== null;
  };
  const isIn = async (jar: BrowserJar) =>
    (await jar.open(`${origin}/login`, (url) => !url.startsWith(origin))).status === 200;
  return { ...world, provider, changes, personOf, give, isIn };
}

test("revocation by the provider: who is disabled there is out within auth.recheck, and nobody else (O8)", async () => {
  const { provider, logIn, give, isIn, changes, personOf, notes } = await openRecheckWorld();
  for (const subject of ["alice", "bob"]) await provider.setUser(subject, { name: subject, groups: ["eng"] });
  const { jar: ofAlice } = await logIn("alice");
  const { jar: ofBob } = await logIn("bob");
  const [alice, bob] = [await give(ofAlice, "alice", "claude"), await give(ofBob, "bob", "claude")];
  const asked = await provider.requests("/token");
  await expect.poll(() => provider.requests("/token"), PATIENCE).toBeGreaterThanOrEqual(asked + 4);
  expect([await alice(), await bob()]).toEqual([true, true]);
  await provider.setUser("alice", { name: "alice", disabled: true });
  await expect.poll(alice, PATIENCE).toBe(false);
  expect(await isIn(ofAlice)).toBe(false);
  expect(changes).toContainEqual({ kind: "ended", person: personOf("alice") });
  expect(notes).toContainEqual({
    type: "person.out",
    text: "has to log in again: the identity provider no longer confirms any of their sessions",
    principal: `alice@${provider.issuer.replace("http://", "")}`,
  });
  expect([await bob(), await isIn(ofBob)]).toEqual([true, true]);
  expect(changes.some(({ person }) => person.subject === "bob")).toBe(false);
  // Nothing keeps them out of a new login, once the provider lets them in again.
  await provider.setUser("alice", { name: "alice" });
  expect((await logIn("alice")).arrival.status).toBe(200);
});

test("changed people groups count within auth.recheck, without another login (O8)", async () => {
  const { provider, people, logIn, give, changes, personOf } = await openRecheckWorld();
  await provider.setUser("alice", { name: "Alice", groups: ["eng"] });
  const { jar } = await logIn("alice");
  const alice = await give(jar, "alice", "claude");
  const groups = async () => (await people.find(personOf("alice")))?.caller.groups;
  expect(await groups()).toEqual(["eng"]);
  await provider.setUser("alice", { name: "Alice", groups: ["ops", "oncall"] });
  await expect.poll(groups, PATIENCE).toEqual(["ops", "oncall"]);
  expect(changes).toEqual([{ kind: "changed", person: personOf("alice") }]);
  await provider.setUser("alice", { name: "Alice" });
  await expect.poll(groups, PATIENCE).toEqual([]);
  expect(await alice()).toBe(true);
});

test("while the provider is away people go on, and a wrong secret of ours is not their fault (O8)", async () => {
  const { provider, problems, logIn, give, origin } = await openRecheckWorld();
  await provider.setUser("alice", { name: "Alice" });
  const { jar } = await logIn("alice");
  const alice = await give(jar, "alice", "claude");
  await provider.setAway(true);
  await expect.poll(() => problems.length, PATIENCE).toBeGreaterThan(0);
  expect(problems[0]?.text).toMatch(/^alice@.* could not be confirmed at the identity provider$/);
  expect(await alice()).toBe(true);
  await provider.setAway(false);
  const redirect_uris = [`${origin}/login/callback`];
  await provider.setClient({
    client_id: "gateway",
    client_secret: "another secret than ours 0123456789",
    redirect_uris,
  });
  const before = problems.length;
  await expect
    .poll(() => problems.slice(before).map(({ error }) => String(error)), PATIENCE)
    .toContainEqual(expect.stringContaining("invalid_client"));
  expect(await alice()).toBe(true);
});

test("back-channel logout ends that browser session and its tokens, and nothing else (O8)", async () => {
  const { provider, logIn, give, isIn, changes, personOf } = await openRecheckWorld(900_000);
  for (const subject of ["alice", "bob"]) await provider.setUser(subject, { name: subject });
  const [work, home, ofBob] = [(await logIn("alice")).jar, (await logIn("alice")).jar, (await logIn("bob")).jar];
  const given = [
    await give(work, "alice", "claude"),
    await give(home, "alice", "claude"),
    await give(ofBob, "bob", "claude"),
  ];
  const state = async () => ({
    tokens: await Promise.all(given.map((living) => living())),
    browsers: [await isIn(work), await isIn(home), await isIn(ofBob)],
  });
  expect(await state()).toEqual({ tokens: [true, true, true], browsers: [true, true, true] });
  const page = await work.open(`${provider.issuer}/session/end?client_id=gateway`);
  await work.submit(page, { logout: "yes" });
  await provider.signIn(null);
  expect(await state()).toEqual({ tokens: [false, true, true], browsers: [false, true, true] });
  expect(changes).toMatchObject([{ kind: "revoked", person: personOf("alice"), client: "claude" }]);
});

test("a logout token that the provider did not sign, or that is another token, ends nothing (O8)", async () => {
  const { provider, origin, logIn, isIn } = await openRecheckWorld(900_000);
  await provider.setUser("alice", { name: "Alice" });
  const { jar } = await logIn("alice");
  const { privateKey, publicKey } = await generateKeyPair("RS256");
  const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
  const sign = (header: object = {}) =>
    new SignJWT({ events, sub: "alice" })
      .setProtectedHeader({ alg: "RS256", typ: "logout+jwt", kid: "made-up", ...header })
      .setIssuer(provider.issuer)
      .setAudience("gateway")
      .setIssuedAt()
      .setExpirationTime("2m")
      .sign(privateKey);
  const unsigned = [{ alg: "none" }, { iss: provider.issuer, aud: "gateway", sub: "alice", events, iat: 1, exp: 4e9 }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  for (const token of ["", "garbage", `${unsigned}.`, await sign(), await sign({ jwk: await exportJWK(publicKey) })]) {
    const body = new URLSearchParams({ logout_token: token });
    const response = await fetch(`${origin}/login/backchannel-logout`, { method: "POST", body });
    expect([token, response.status]).toEqual([token, 400]);
    expect(await response.json()).toMatchObject({ error: "invalid_request" });
  }
  expect(await isIn(jar)).toBe(true);
});

test("a sealing key that is replaced can go once everything is sealed with the new one (O11)", async () => {
  const [old, fresh] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
  const world = await openLoginWorld({ auth: { recheck: RECHECK, keys: [old] }, machines: 1 });
  await world.provider.setUser("alice", { name: "Alice" });
  const { jar } = await world.logIn("alice");
  await expect(world.restart({ keys: [fresh] })).rejects.toMatchObject({ code: "people.wrong-key" });
  await world.restart({ keys: [fresh, old] });
  const inUse = async () => {
    const rows = world.place.store.keyValues({ name: "people.sealing", person: "", project: world.place.scope });
    return ((await rows.get("keys")) as string[]).length;
  };
  expect(await inUse()).toBe(2);
  await expect.poll(inUse, PATIENCE).toBe(1);
  await world.restart({ keys: [fresh] });
  expect((await jar.open(`${world.origin}/login`)).text).toContain("You are logged in");
  const asked = await world.provider.requests("/token");
  await expect.poll(() => world.provider.requests("/token"), PATIENCE).toBeGreaterThan(asked);
  expect((await jar.open(`${world.origin}/login`)).text).toContain("You are logged in");
  expect(world.problems).toEqual([]);
});

test("a linked Slack account keeps its person's login confirmed without a browser, until the provider refuses it (O8, O14)", async () => {
  const { provider, logIn, place, personOf } = await openRecheckWorld();
  for (const subject of ["alice", "bob"]) {
    await provider.setUser(subject, { name: subject });
    await logIn(subject);
  }
  const accounts = createSlackAccounts(place);
  await accounts.link(await accounts.begin(personOf("bob")), { team: "T1", user: "U-BOB" }, "bob");
  const loginsOf = async (subject: string) =>
    (await peopleValues(place, "people.provider-sessions", personOf(subject)).entries()).size;
  // Their browsers are gone, as after twelve hours.
  for (const subject of ["alice", "bob"]) {
    const browsers = peopleValues(place, "people.browsers", personOf(subject));
    for (const id of (await browsers.entries()).keys()) await browsers.change(id, () => undefined);
  }
  await expect.poll(() => loginsOf("alice"), PATIENCE).toBe(0);
  expect(await loginsOf("bob")).toBe(1);
  await provider.setUser("bob", { name: "bob", disabled: true });
  await expect.poll(() => loginsOf("bob"), PATIENCE).toBe(0);
});
