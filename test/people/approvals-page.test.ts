import { expect, test } from "vitest";
import { CLIENT_TOKEN, TOKEN } from "../http/door.ts";
import { IDP, openApprovalsWorld } from "./approvals-world.ts";
import { giveTokens } from "./world.ts";

const open = (approvals: unknown = "approvers") => openApprovalsWorld({ approvals });
const refusalsOf = ({ notes }: Awaited<ReturnType<typeof open>>) =>
  notes.filter(({ type }) => type === "approval.refused").map(({ principal, text }) => `${principal}: ${text}`);

test("a link leads an approver to the call, and only a click there answers, once (O14)", async () => {
  const world = await open();
  const { link, text, effects } = await world.call("alice", { note: "<b>hello</b>\u202e" });
  const bob = await world.browser("bob", "of-it");
  const page = await bob.open(link);
  expect(page.status).toBe(200);
  // Everything that decides is there, and nothing of it is markup or invisible.
  for (const said of ["it/plain", "alice (alice of https://idp.example.com)", "the rule it/plain asks about"])
    expect(page.text).toContain(said);
  expect(page.text).toContain("&lt;b&gt;hello&lt;/b&gt;\\u{202e}");
  // Looking answers nothing, whatever the address says.
  for (const more of ["&answer=allow", "&answer=allow&token=x"]) await bob.open(`${link}${more}`);
  await bob.ask(link, { method: "HEAD" });
  expect(await effects()).toBe(0);
  const done = await bob.submit(page, { answer: "allow" });
  expect([done.status, done.text]).toEqual([200, expect.stringContaining("Allowed, once.")]);
  expect(await text()).toContain("plain");
  expect(await effects()).toBe(1);
  const again = await bob.submit(page, { answer: "allow" });
  expect([again.status, again.text]).toEqual([404, expect.stringContaining("was answered")]);
  expect((await bob.open(link)).status).toBe(404);
  expect(await effects()).toBe(1);
});

test("who is not logged in logs in first and comes back; who is no approver of the server sees nothing, and is logged (O9)", async () => {
  const world = await open();
  const { link, text } = await world.call("alice", { secret: "payload" });
  const stranger = await fetch(link, { redirect: "manual" });
  const back = `/login?back=${encodeURIComponent(link.slice(world.origin.length))}`;
  expect([stranger.status, stranger.headers.get("location")]).toEqual([303, back]);
  for (const [subject, group] of [
    ["mallory", "nobody"],
    ["prod", "of-prod"],
  ] as const) {
    const page = await (await world.browser(subject, group)).open(link);
    expect(page.status).toBe(403);
    for (const detail of ["payload", "it/plain", "alice"]) expect(page.text).not.toContain(detail);
  }
  expect(refusalsOf(world)).toEqual([
    "mallory@idp.example.com: mallory@idp.example.com opened a call that waits for others: this needs the role approver",
    expect.stringMatching(/^prod@.*needs the role approver for the server "it"$/),
  ]);
  const bob = await world.browser("bob", "approvers");
  await bob.submit(await bob.open(link), { answer: "deny", reason: "not on a Friday" });
  expect(await text()).toContain("not on a Friday");
});

test("a form of another page, another browser or another origin answers nothing (O9)", async () => {
  const world = await open();
  const { pending, link } = await world.call();
  const [bob, carol, mallory] = [
    await world.browser("bob", "approvers"),
    await world.browser("carol", "approvers"),
    await world.browser("mallory"),
  ];
  const token = /name="token" value="([^"]*)"/.exec((await bob.open(link)).text)?.[1] ?? "";
  const post = (jar: typeof bob, fields: Record<string, string>, origin = world.origin) =>
    jar.ask(`${world.origin}/approvals`, {
      method: "POST",
      headers: { origin },
      body: new URLSearchParams({ id: pending.root, answer: "allow", ...fields }),
    });
  expect((await post(bob, {})).status).toBe(403);
  expect((await post(bob, { token: "x" })).status).toBe(403);
  expect((await post(carol, { token })).status).toBe(403);
  expect((await post(bob, { token }, "https://evil.example")).status).toBe(403);
  expect((await post(bob, { token, answer: "maybe" })).status).toBe(400);
  // With a form of their own page, they still are no approver.
  const own = /name="token" value="([^"]*)"/.exec((await mallory.open(`${world.origin}/me`)).text)?.[1] ?? "";
  expect((await post(mallory, { token: own })).status).toBe(403);
  expect(world.machines[0]?.crib.approvals.pending).toHaveLength(1);
  expect((await post(bob, { token })).status).toBe(303);
});

test("no token answers, neither an approver's client nor the gateway's own: the page knows browsers alone (O9)", async () => {
  const world = await open();
  const { pending, link } = await world.call();
  const person = { issuer: IDP, subject: "bob", groups: ["approvers"] };
  const { accessToken } = await giveTokens(world, person);
  for (const token of [accessToken, TOKEN, CLIENT_TOKEN]) {
    const answer = await fetch(link, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: new URLSearchParams({ id: pending.root, answer: "allow" }),
      redirect: "manual",
    });
    // As anybody who is not logged in.
    expect([answer.status, answer.headers.get("location")]).toEqual([303, expect.stringContaining("/login?back=")]);
  }
  expect(world.machines[0]?.crib.approvals.pending).toHaveLength(1);
});

test("under four eyes an approver does not answer their own call, and the attempt is logged (O9)", async () => {
  const world = await open({ ask: "approvers", fourEyes: true });
  const { pending, link, effects } = await world.call("bob", {}, ["approvers"]);
  const [bob, carol] = [await world.browser("bob", "approvers"), await world.browser("carol", "approvers")];
  const refused = await bob.open(link);
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("own call")]);
  // Nor with a form that they have from another call.
  const other = await world.call("alice");
  const token = /name="token" value="([^"]*)"/.exec((await bob.open(other.link)).text)?.[1] ?? "";
  const answer = await bob.ask(`${world.origin}/approvals`, {
    method: "POST",
    headers: { origin: world.origin },
    body: new URLSearchParams({ token, id: pending.root, answer: "allow" }),
  });
  expect(answer.status).toBe(403);
  expect(refusalsOf(world)).toEqual([
    expect.stringContaining("bob@idp.example.com opened a call that waits for others"),
    expect.stringContaining("bob@idp.example.com may not answer the call of it/plain"),
  ]);
  expect(await effects()).toBe(0);
  expect((await carol.submit(await carol.open(link), { answer: "allow" })).text).toContain("Allowed, once.");
  // Each person sees what waits for them, and not what does not.
  const mine = await bob.open(`${world.origin}/approvals`);
  expect(mine.text.match(/<h2/g)).toHaveLength(1);
});

test("a role that is taken away does not count from the next click on (O9)", async () => {
  const world = await open();
  const { link } = await world.call();
  const bob = await world.browser("bob", "approvers");
  const page = await bob.open(link);
  const caller = { issuer: IDP, subject: "bob", groups: [], claims: [], name: null, email: null };
  await world.people.note(caller);
  const answer = await bob.submit(page, { answer: "allow" });
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining("This needs the role approver.")]);
  await world.people.end({ issuer: caller.issuer, subject: "bob" }, "carol");
  expect((await bob.ask(link)).status).toBe(303);
  expect(world.machines[0]?.crib.approvals.pending).toHaveLength(1);
});
