import { expect, test } from "vitest";
import { createInvitations, INVITED_FOR } from "../../src/runtime/people/invitations.ts";
import { type BrowserJar, createBrowserJar } from "../support/browser-jar.ts";
import { createSoftwarePasskey, type PasskeyFaults, type SoftwarePasskey } from "../support/software-passkey.ts";
import { openLoginWorld } from "./login-world.ts";

const carol = { name: "Carol Cho", email: "carol@example.com", groups: ["eng"] };

/** A team without an identity provider, whose browsers the test plays. */
async function openTeam() {
  const world = await openLoginWorld({ hasProvider: false, host: "localhost" });
  const { origin, place, invitations, people, notes, dump } = world;
  const question = async (jar: BrowserJar, path: string) => {
    const { text, headers } = await jar.open(`${origin}${path}`);
    const [, state = ""] = /data-state="([^"]*)"/.exec(text) ?? [];
    const [, challenge = ""] = /data-challenge="([^"]*)"/.exec(text) ?? [];
    return { state, challenge, text, headers };
  };
  const post = async (jar: BrowserJar, path: string, body: object) => {
    const headers = { "content-type": "application/json", origin };
    const response = await jar.ask(`${origin}${path}`, { method: "POST", body: JSON.stringify(body), headers });
    return { status: response.status, answer: (await response.json()) as { name: string; owner: string } };
  };
  const accept = async (jar: BrowserJar, link: string, passkey: SoftwarePasskey, faults?: PasskeyFaults) => {
    const { state, challenge } = await question(jar, "/login/invitation");
    const token = new URL(link).hash.slice(1);
    const opened = await post(jar, "/login/invitation/open", { token });
    const made = passkey.create({ origin, challenge }, faults);
    return { opened, ...(await post(jar, "/login/invitation", { state, token, ...made })) };
  };
  const logIn = async (jar: BrowserJar, passkey: SoftwarePasskey, owner: string, faults?: PasskeyFaults) => {
    const { state, challenge } = await question(jar, "/login/passkey?back=/login%3Fhere");
    return post(jar, "/login/passkey", { state, ...passkey.answer({ origin, challenge, owner }, faults) });
  };
  return { origin, place, invitations, people, notes, dump, question, post, accept, logIn };
}

test.each(["ES256", "RS256", "EdDSA"] as const)(
  "an invitation gives a passkey (%s), and the passkey lets somebody in (O5)",
  async (kind) => {
    const { origin, invitations, people, accept, logIn, notes } = await openTeam();
    const { link, until } = await invitations.create(carol, "root@example");
    expect(link).toMatch(`${origin}/login/invitation#`);
    expect(until).toBeGreaterThan(Date.now() + INVITED_FOR - 60_000);
    const passkey = createSoftwarePasskey(kind);
    const jar = createBrowserJar();
    const { opened, status, answer } = await accept(jar, link, passkey);
    expect(opened.answer).toMatchObject({ name: "Carol Cho" });
    expect([status, answer]).toEqual([200, { location: "/login" }]);
    expect((await jar.open(`${origin}/login`)).text).toContain("<dd>Carol Cho</dd>");
    const [row] = await people.list();
    expect(row?.caller).toMatchObject({
      issuer: origin,
      name: "Carol Cho",
      groups: ["eng"],
      email: "carol@example.com",
    });
    const later = createBrowserJar();
    expect(await logIn(later, passkey, opened.answer.owner)).toEqual({
      status: 200,
      answer: { location: "/login?here" },
    });
    expect((await later.open(`${origin}/login`)).text).toContain("You are logged in");
    expect(notes.map(({ text }) => text)).toEqual([
      "took the invitation of root@example and made a passkey",
      "logged in with a passkey",
    ]);
  },
);

test("an invitation works once, for the first who comes, and not after three days", async () => {
  const { origin, place, invitations, accept, people } = await openTeam();
  const earlier = createInvitations(place, { publicUrl: origin, people, now: () => Date.now() - INVITED_FOR });
  const { link: old } = await earlier.create(carol, "root");
  expect(await accept(createBrowserJar(), old, createSoftwarePasskey())).toMatchObject({ status: 410 });
  const { link } = await invitations.create(carol, "root");
  const both = await Promise.all([1, 2].map(() => accept(createBrowserJar(), link, createSoftwarePasskey())));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 410]);
  expect(await accept(createBrowserJar(), link, createSoftwarePasskey())).toMatchObject({ status: 410 });
  const guessed = link.replace(/#.*/, `#${"A".repeat(43)}`);
  expect(await accept(createBrowserJar(), guessed, createSoftwarePasskey())).toMatchObject({ status: 410 });
  expect(await people.list()).toHaveLength(1);
});

test("somebody who lost a passkey is invited again, and the lost one opens nothing from then on (O5)", async () => {
  const { invitations, people, accept, logIn } = await openTeam();
  const [lost, found] = [createSoftwarePasskey(), createSoftwarePasskey()];
  const first = await accept(createBrowserJar(), (await invitations.create(carol, "root")).link, lost);
  const { owner } = first.opened.answer;
  const [row] = await people.list();
  if (row === undefined) throw new Error("nobody came in");
  const { link } = await invitations.create({ ...carol, groups: ["ops"], again: row.caller }, "root");
  expect(await logIn(createBrowserJar(), lost, owner)).toMatchObject({ status: 200 });
  expect((await accept(createBrowserJar(), link, found)).status).toBe(200);
  expect(await logIn(createBrowserJar(), lost, owner)).toMatchObject({ status: 403 });
  expect(await logIn(createBrowserJar(), found, owner)).toMatchObject({ status: 200 });
  expect((await people.list()).map(({ caller }) => caller.groups)).toEqual([["ops"]]);
  const stranger = { issuer: "https://idp.example.com", subject: "alice" };
  await expect(invitations.create({ ...carol, again: stranger }, "root")).rejects.toMatchObject({
    code: "people.not-invited",
  });
});

test("an answer for another page, host, challenge or purpose, or by nobody, opens nothing", async () => {
  const { origin, invitations, accept, logIn } = await openTeam();
  const passkey = createSoftwarePasskey();
  const faults: readonly PasskeyFaults[] = [
    { origin: "https://evil.example" },
    { origin: `${origin}.evil.example` },
    { host: "evil.example" },
    { challenge: "A".repeat(43) },
    { type: "payment.get" },
    { crossOrigin: true },
    { flags: 0x01 },
    { flags: 0x04 },
    { flags: 0 },
  ];
  const { link } = await invitations.create(carol, "root");
  for (const fault of faults)
    expect([fault, (await accept(createBrowserJar(), link, passkey, fault)).status]).toEqual([fault, 403]);
  // None of them has used it up.
  const { opened, status } = await accept(createBrowserJar(), link, passkey);
  expect(status).toBe(200);
  const { owner } = opened.answer;
  for (const fault of faults)
    expect([fault, (await logIn(createBrowserJar(), passkey, owner, fault)).status]).toEqual([fault, 403]);
  expect((await logIn(createBrowserJar(), createSoftwarePasskey(), owner)).status).toBe(403);
  expect((await logIn(createBrowserJar(), passkey, "somebody")).status).toBe(403);
  expect((await logIn(createBrowserJar(), passkey, owner)).status).toBe(200);
});

test("an answer counts once, in the browser that was asked, and a copied passkey is noticed by its counter", async () => {
  const { origin, invitations, accept, question, post, logIn } = await openTeam();
  const passkey = createSoftwarePasskey();
  passkey.counter = 5;
  const { opened } = await accept(createBrowserJar(), (await invitations.create(carol, "root")).link, passkey);
  const { owner } = opened.answer;
  const [jar, other] = [createBrowserJar(), createBrowserJar()];
  const { state, challenge } = await question(jar, "/login/passkey");
  passkey.counter = 6;
  const body = { state, ...passkey.answer({ origin, challenge, owner }) };
  expect((await post(other, "/login/passkey", body)).status).toBe(403);
  expect((await post(jar, "/login/passkey", body)).status).toBe(200);
  expect((await post(jar, "/login/passkey", body)).status).toBe(403);
  passkey.counter = 6;
  expect((await logIn(createBrowserJar(), passkey, owner)).status).toBe(403);
  passkey.counter = 7;
  expect((await logIn(createBrowserJar(), passkey, owner)).status).toBe(200);
});

test("somebody whose access has ended comes in with no passkey and no new invitation", async () => {
  const { invitations, people, accept, logIn } = await openTeam();
  const passkey = createSoftwarePasskey();
  const { opened } = await accept(createBrowserJar(), (await invitations.create(carol, "root")).link, passkey);
  const [row] = await people.list();
  if (row === undefined) throw new Error("nobody came in");
  const { link } = await invitations.create({ ...carol, again: row.caller }, "root");
  await people.end(row.caller, "root");
  expect((await logIn(createBrowserJar(), passkey, opened.answer.owner)).status).toBe(403);
  expect((await accept(createBrowserJar(), link, createSoftwarePasskey())).status).toBe(403);
});

test("only pages that need a passkey may run a script, which is a file, and no page may be framed", async () => {
  const { origin, question, invitations, dump } = await openTeam();
  const { link } = await invitations.create(carol, "root");
  expect(dump()).not.toContain(new URL(link).hash.slice(1));
  const jar = createBrowserJar();
  for (const path of ["/login/passkey", "/login/invitation"]) {
    const { headers, text } = await question(jar, path);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'; connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script src="/login/passkey.js" type="module">']);
    expect(headers.get("cache-control")).toBe("no-store");
  }
  const { headers, text, status } = await jar.open(`${origin}/login?back=/a&back=/b`);
  expect(status).toBe(400);
  expect([headers.get("content-security-policy") ?? "", text].join()).not.toMatch(/script/);
  const answer = await jar.ask(`${origin}/login/passkey.js`);
  expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  const script = await answer.text();
  // It is JavaScript.
  expect(() => new Function(`return async () => {${script}}`)).not.toThrow();
});
