import { expect, test } from "vitest";
import { type BrowserJar, createBrowserJar } from "../support/browser-jar.ts";
import { CLIENT_SECRET, openLoginWorld } from "./login-world.ts";

const alice = { name: "Alice Ames", groups: ["eng"], email: "alice@example.com", email_verified: true };

test("people log in at the company's provider, whichever machines they meet on the way (O5)", async () => {
  const world = await openLoginWorld();
  const { provider, origin, people } = world;
  await provider.setUser("alice", alice);
  const jar = createBrowserJar();
  const asked = await jar.open(`${origin}/login`);
  expect(asked.url).toMatch(`${provider.issuer}/interaction/`);
  const arrival = await jar.submit(asked, { user: "alice" });
  expect(arrival).toMatchObject({ url: `${origin}/login`, status: 200 });
  expect(arrival.text).toContain("<dd>Alice Ames</dd>");
  const row = await people.find({ issuer: provider.issuer, subject: "alice" });
  expect(row?.caller).toMatchObject({ groups: ["eng"], name: "Alice Ames", email: "alice@example.com" });
  expect(world.notes).toMatchObject([{ type: "person.in", text: `logged in at ${provider.issuer}` }]);
  expect(world.problems).toEqual([]);
});

test("a restart of all machines in the middle of a login: it goes on (O4)", async () => {
  const world = await openLoginWorld();
  await world.provider.setUser("alice", alice);
  const jar = createBrowserJar();
  const asked = await jar.open(`${world.origin}/login?back=/login%3Fagain`);
  await world.restart();
  const arrival = await jar.submit(asked, { user: "alice" });
  expect(arrival).toMatchObject({ url: `${world.origin}/login?again`, status: 200 });
  expect(arrival.text).toContain("You are logged in");
});

test("login CSRF: a login that somebody else has begun is not finished in another browser", async () => {
  const world = await openLoginWorld();
  const { provider, origin } = world;
  await provider.setUser("mallory", { name: "Mallory" });
  await provider.signIn("mallory");
  const attacker = createBrowserJar();
  const { url } = await attacker.open(`${origin}/login`, (each) => each.startsWith(`${origin}/login/callback`));
  const asked = await provider.requests("/token");
  for (const victim of [createBrowserJar(), await withOwnLogin(origin)]) {
    const arrival = await victim.open(url);
    expect(arrival).toMatchObject({ status: 400, text: expect.stringContaining("begun in another browser") });
    expect(victim.cookie(origin, "toolcrib")).toBeUndefined();
  }
  // The code went nowhere, and the browser that it belongs to can still use it.
  expect(await provider.requests("/token")).toBe(asked);
  expect(await attacker.open(url)).toMatchObject({ url: `${origin}/login`, status: 200 });
  expect(await attacker.open(url)).toMatchObject({ status: 400 });
});

test("mix-up: the issuer of another provider and the state of another flow are refused before the code is sent", async () => {
  const world = await openLoginWorld();
  const { provider, origin } = world;
  await provider.setUser("alice", alice);
  await provider.signIn("alice");
  const jar = createBrowserJar();
  const change = async (to: (url: URL) => void) => {
    const { url } = await jar.open(`${origin}/login`, (each) => each.startsWith(`${origin}/login/callback`));
    const changed = new URL(url);
    to(changed);
    return jar.open(changed.href);
  };
  const asked = await provider.requests("/token");
  const wrong = { status: 400, text: expect.stringContaining("This login cannot be completed") };
  expect(await change(({ searchParams }) => searchParams.set("iss", "https://evil.example.com"))).toMatchObject(wrong);
  expect(await change(({ searchParams }) => searchParams.delete("iss"))).toMatchObject(wrong);
  expect(await change(({ searchParams }) => searchParams.set("state", "x".repeat(43)))).toMatchObject(wrong);
  expect(await change(({ searchParams }) => searchParams.delete("state"))).toMatchObject(wrong);
  expect(await change(({ searchParams }) => searchParams.append("state", "again"))).toMatchObject({ status: 400 });
  expect(await change(({ searchParams }) => searchParams.append("code", "again"))).toMatchObject({ status: 400 });
  expect(await provider.requests("/token")).toBe(asked);
  expect(jar.cookie(origin, "toolcrib")).toBeUndefined();
});

test("session fixation: a browser that logs in gets another cookie, and the one before ends", async () => {
  const world = await openLoginWorld();
  const { origin, provider } = world;
  await provider.setUser("alice", alice);
  const { jar } = await world.logIn("alice");
  const before = jar.cookie(origin, "toolcrib") ?? "";
  const planted = createBrowserJar();
  planted.setCookie(origin, "toolcrib", `${before.split(".")[0]}.${"A".repeat(43)}`);
  await planted.open(`${origin}/login`);
  expect(planted.cookie(origin, "toolcrib")).not.toContain("AAAA");
  // A second login of the same browser, begun while it was logged out.
  const second = createBrowserJar();
  const { url } = await second.open(`${origin}/login`, (each) => each.startsWith(`${origin}/login/callback`));
  second.setCookie(origin, "toolcrib", before);
  await second.open(url);
  const after = second.cookie(origin, "toolcrib");
  expect(after).not.toBe(before);
  const old = createBrowserJar();
  old.setCookie(origin, "toolcrib", before);
  expect((await old.open(`${origin}/logout`, (each) => each.endsWith("/login"))).url).toBe(`${origin}/login`);
});

test("a browser is led back to a path of the gateway and nowhere else", async () => {
  const world = await openLoginWorld();
  const { origin, provider } = world;
  await provider.setUser("alice", alice);
  const { jar } = await world.logIn("alice");
  const backs = [
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "/%0d%0aset-cookie:a=b",
    "\\\\evil",
    "",
    `/${"x".repeat(5_000)}`,
  ];
  for (const back of backs) {
    const response = await jar.ask(`${origin}/login?${new URLSearchParams({ back })}`);
    const location = new URL(response.headers.get("location") ?? "/", origin);
    expect([back, location.origin]).toEqual([back, origin]);
    await response.arrayBuffer();
  }
});

test("CSRF: logging out needs the page's token, and the page of another origin gets nowhere", async () => {
  const world = await openLoginWorld();
  const { origin, provider } = world;
  await provider.setUser("alice", alice);
  const { jar, arrival } = await world.logIn("alice");
  const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    jar.ask(`${origin}/logout`, { method: "POST", body: new URLSearchParams(fields), headers });
  expect((await post({})).status).toBe(403);
  expect((await post({ token: "guess" })).status).toBe(403);
  const token = /name="token" value="([^"]*)"/.exec(arrival.text)?.[1] ?? "";
  expect((await post({ token }, { origin: "https://evil.example" })).status).toBe(403);
  expect((await post({ token }, { origin: "null" })).status).toBe(403);
  expect((await jar.open(`${origin}/login`)).text).toContain("You are logged in");
  const out = await jar.submit(arrival);
  expect(out.text).toContain("You are logged out");
  expect(out.text).toContain("Log out at Example Corp too");
  expect(jar.cookie(origin, "toolcrib")).toBeUndefined();
});

test("who the provider does not let in, or whose access has ended, reads why", async () => {
  const world = await openLoginWorld();
  const { origin, provider, people } = world;
  await provider.setUser("alice", { ...alice, disabled: true });
  const { arrival } = await world.logIn("alice");
  expect(arrival).toMatchObject({
    status: 403,
    text: expect.stringContaining("Example Corp did not let you in (access_denied)"),
  });
  await provider.setUser("alice", alice);
  await people.end({ issuer: provider.issuer, subject: "alice" }, "root");
  const { jar, arrival: ended } = await world.logIn("alice");
  expect(ended).toMatchObject({ status: 403, text: expect.stringContaining("Your access has ended") });
  expect(jar.cookie(origin, "toolcrib")).toBeUndefined();
  const refused = world.notes.filter(({ type }) => type === "person.refused");
  expect(refused).toHaveLength(2);
});

test("a provider that is away gets a clear page, and people who are logged in go on", async () => {
  const world = await openLoginWorld();
  const { origin, provider } = world;
  await provider.setUser("alice", alice);
  const { jar } = await world.logIn("alice");
  await provider.setAway(true);
  const others = createBrowserJar();
  // Machines that know where the provider is send a browser there; the others say that nobody can log in.
  const { url } = await others.open(`${origin}/login`, (each) => !each.startsWith(origin)).catch(() => ({ url: "" }));
  expect(url === "" || !url.startsWith(origin) || url === `${origin}/login`).toBe(true);
  expect((await jar.open(`${origin}/login`)).text).toContain("You are logged in");
  await provider.setAway(false);
  await provider.signIn("alice");
  const begun = createBrowserJar();
  const back = await begun.open(`${origin}/login`, (each) => each.startsWith(`${origin}/login/callback`));
  await provider.setAway(true);
  const late = await begun.open(back.url);
  expect(late).toMatchObject({ status: 503, text: expect.stringContaining("does not answer now") });
  expect(late.headers.get("retry-after")).toBe("10");
});

test("a provider that is slow lets people in; one that does not answer costs ten seconds, and gets a clear page", async () => {
  const world = await openLoginWorld({ machines: 1 });
  const { origin, provider } = world;
  await provider.setUser("alice", alice);
  const timed = async (jar: BrowserJar, url: string) => {
    const start = performance.now();
    const { status, text } = await jar.open(url);
    expect(performance.now() - start).toBeLessThan(10_000);
    return [status, text] as const;
  };
  const unanswered = [503, expect.stringContaining("does not answer now")];
  await provider.setDelay(60_000);
  expect(await timed(createBrowserJar(), `${origin}/login`)).toEqual(unanswered);
  await provider.setDelay(500);
  // The one that had no answer does not ask again at once.
  await world.restart();
  const { jar } = await world.logIn("alice");
  expect((await jar.open(`${origin}/login`)).text).toContain("You are logged in");
  const begun = createBrowserJar();
  const back = await begun.open(`${origin}/login`, (each) => each.startsWith(`${origin}/login/callback`));
  await provider.setDelay(60_000);
  expect(await timed(begun, back.url)).toEqual(unanswered);
  // Nobody else waits for it.
  const start = performance.now();
  expect((await jar.open(`${origin}/login`)).text).toContain("You are logged in");
  expect(performance.now() - start).toBeLessThan(2_000);
});

test("a provider whose keys were rotated, or whose clock is 59 s off, lets people in; with 61 s it does not", async () => {
  const world = await openLoginWorld({ machines: 1 });
  const { provider } = world;
  await provider.setUser("alice", alice);
  const logIn = async () => (await world.logIn("alice")).arrival.status;
  expect(await logIn()).toBe(200);
  await provider.rotateKeys();
  expect(await logIn()).toBe(200);
  for (const offset of [59_000, -59_000]) {
    await provider.setOffset(offset);
    expect([offset, await logIn()]).toEqual([offset, 200]);
  }
  // Tokens end ten minutes after the provider's own now.
  await provider.setOffset(-600_000 - 61_000);
  expect(await logIn()).toBe(400);
  await provider.setOffset(62_000);
  expect(await logIn()).toBe(400);
  expect(world.problems.map(({ error }) => String(error))).toEqual([
    expect.stringContaining('"exp" claim timestamp check failed'),
    expect.stringContaining("was made in the future; one of the clocks is wrong"),
  ]);
});

test("canaries: no secret is in the store, the log, an error or a page (O19)", async () => {
  const world = await openLoginWorld();
  const { origin, provider } = world;
  await provider.setUser("alice", alice);
  const { jar, arrival } = await world.logIn("alice");
  const begun = createBrowserJar();
  const { url } = await begun.open(`${origin}/login`, (each) => each.startsWith(`${origin}/login/callback`));
  await provider.setAway(true);
  const late = await begun.open(url);
  const { searchParams } = new URL(url);
  const secrets = [
    CLIENT_SECRET,
    ...(jar.cookie(origin, "toolcrib") ?? "").split(".").slice(1),
    ...["state", "code"].map((name) => searchParams.get(name) ?? ""),
    begun.cookie(origin, "toolcrib-login") ?? "",
  ];
  const words = [
    world.notes,
    world.problems.map(({ text, error }) => [text, String(error), String((error as Error)?.cause)]),
  ];
  const said = [world.dump(), JSON.stringify(words), arrival.text, late.text];
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(20);
    for (const text of said) expect(text).not.toContain(secret);
  }
  expect(world.dump()).toContain("alice");
  expect(world.dump()).toContain("s1.");
});

/** A browser that has begun a login of its own. */
async function withOwnLogin(origin: string) {
  const jar = createBrowserJar();
  await jar.open(`${origin}/login`, (each) => !each.startsWith(origin));
  return jar;
}
