import { expect, test } from "vitest";
import { buttonsOf, SLACK_SECRET, SLACK_TOKEN, startSlack } from "../support/loopback-slack.ts";
import { IDP, openApprovalsWorld } from "./approvals-world.ts";

const PATIENCE = { timeout: 20_000 };

/** A gateway whose questions go to a channel of Slack. */
async function open(more: object = {}, machines = 1) {
  const slack = await startSlack();
  const app = { token: SLACK_TOKEN, signingSecret: SLACK_SECRET, api: slack.api };
  const approvals = { ask: "approvers", slack: app, to: [{ slack: "C1" }], ...more };
  const world = await openApprovalsWorld({ approvals, machines });
  /** Links somebody's Slack account, as a person does. */
  const link = async (subject: string, user: string, ...groups: readonly string[]) => {
    const jar = await world.browser(subject, ...groups);
    const me = await jar.open(`${world.origin}/me`);
    const page = await jar.submit(me, {}, "/me/slack");
    const code = /\/toolcrib link ([\w-]{20})/.exec(page.text)?.[1] ?? "";
    return { jar, code, said: await slack.command(world.origin, user, `link ${code}`) };
  };
  /** A call, and its message in Slack. */
  const ask = async (...given: Parameters<typeof world.call>) => {
    const before = slack.posts.length;
    const call = await world.call(...given);
    await expect.poll(() => slack.posts.length, PATIENCE).toBe(before + 1);
    const post = slack.posts.at(-1);
    if (post === undefined) throw new Error("nothing was posted");
    return { ...call, post, value: buttonsOf(post).get("allow") ?? "" };
  };
  const answered = async (count: number) => {
    await expect.poll(() => slack.ephemeral.length, PATIENCE).toBe(count);
    return slack.ephemeral.at(-1);
  };
  const refusals = () => world.notes.filter(({ type }) => type === "approval.refused").map(({ text }) => text);
  return { ...world, slack, link, ask, answered, refusals };
}

test("an approver who has linked their account answers by a click, and the message then says who did, without buttons (O14)", async () => {
  const { slack, origin, link, ask, answered, notes } = await open();
  const { said } = await link("bob", "U-BOB", "of-it");
  expect(said).toBe("This Slack account is bob@idp.example.com from now on.");
  const { post, value, text, effects } = await ask("alice", { note: "<!channel> *hi* <https://evil.example|x>" });
  // What others say is plain text, and all of it is there.
  const shown = JSON.stringify(post.blocks);
  expect(shown).toContain("<!channel> *hi* <https://evil.example|x>");
  expect(shown).not.toContain("mrkdwn");
  expect(post.text).toBe("Allow it/plain?");
  expect(buttonsOf(post).get("open")).toMatch(new RegExp(`^${origin}/approvals\\?id=`));
  expect((await slack.click(origin, "U-BOB", { value, action: "allow" })).status).toBe(200);
  expect(await answered(1)).toMatchObject({ user: "U-BOB", text: "You allowed it, once." });
  expect(await text()).toContain("plain");
  expect(await effects()).toBe(1);
  await expect.poll(() => post.changes, PATIENCE).toBeGreaterThan(0);
  expect(JSON.stringify(post.blocks)).toContain("allowed by bob@idp.example.com in Slack");
  expect(JSON.stringify(post.blocks)).not.toContain("hi");
  expect(buttonsOf(post).size).toBe(0);
  // A click on an old copy of the message does nothing more.
  await slack.click(origin, "U-BOB", { value, action: "allow" });
  expect((await answered(2))?.text).toContain("Nobody waits for this answer any longer");
  expect(await effects()).toBe(1);
  expect(notes.map(({ type }) => type)).toEqual(expect.arrayContaining(["approval.told", "person.slack"]));
});

test("an account that nobody linked, somebody of another workspace, and somebody who is no approver answer nothing (O9, O14)", async () => {
  const { slack, origin, link, ask, answered, refusals, machines } = await open();
  await link("bob", "U-BOB", "approvers");
  await link("prod", "U-PROD", "of-prod");
  const { value } = await ask();
  const click = (user: string, team?: string) =>
    slack.click(origin, user, { value, action: "allow", ...(team === undefined ? {} : { team }) });
  await click("U-NOBODY");
  expect((await answered(1))?.text).toContain("not linked");
  // The same id in a workspace that shares the channel is somebody else.
  await click("U-BOB", "T2");
  expect((await answered(2))?.text).toContain("not linked");
  await click("U-PROD");
  expect((await answered(3))?.text).toContain('needs the role approver for the server "it"');
  expect(refusals()).toEqual([
    expect.stringContaining("U-NOBODY of T1"),
    expect.stringContaining("U-BOB of T2"),
    expect.stringContaining("prod@idp.example.com in Slack may not answer"),
  ]);
  expect(machines[0]?.crib.approvals.pending).toHaveLength(1);
});

test("what Slack did not sign just now, or what was changed on the way, is refused and logged (O14)", async () => {
  const { slack, origin, link, ask, refusals, machines } = await open();
  const { code } = await link("bob", "U-BOB", "approvers");
  const { value } = await ask();
  const click = { value, action: "allow" } as const;
  for (const signing of [
    { secret: "another-secret" },
    { off: -301 },
    { off: 301 },
    { instead: (body: string) => body.replace("U-NOBODY", "U-BOB") },
    { instead: (body: string) => `${body}&x=1` },
  ])
    expect((await slack.click(origin, "U-NOBODY", click, signing)).status).toBe(401);
  expect(await slack.command(origin, "U-EVIL", `link ${code}`, { secret: "x" })).toBe("401");
  const bare = await fetch(`${origin}/slack`, { method: "POST", body: new URLSearchParams({ payload: "{}" }) });
  expect([bare.status, (await fetch(`${origin}/slack`)).status]).toEqual([401, 405]);
  expect(refusals()).toHaveLength(7);
  // Signed, and not a click of ours.
  for (const payload of [
    "",
    "{",
    "[]",
    "null",
    '{"type":"block_actions"}',
    `{"type":"block_actions","user":{"id":1},"actions":[{}]}`,
  ])
    expect((await slack.send(origin, { payload })).status).toBe(200);
  expect(slack.ephemeral).toEqual([]);
  expect(machines[0]?.crib.approvals.pending).toHaveLength(1);
});

test("under four eyes a click of the caller does not count (O9)", async () => {
  const { slack, origin, link, ask, answered, refusals } = await open({ fourEyes: ["it"] });
  await link("bob", "U-BOB", "approvers");
  await link("carol", "U-CAROL", "approvers");
  const { post, value, text, effects } = await ask("bob", {}, ["approvers"]);
  expect(JSON.stringify(post.blocks)).toContain("Somebody other than the caller has to answer.");
  await slack.click(origin, "U-BOB", { value, action: "allow" });
  expect((await answered(1))?.text).toContain("own call");
  expect(refusals()).toHaveLength(1);
  expect(await effects()).toBe(0);
  await slack.click(origin, "U-CAROL", { value, action: "allow" });
  expect((await answered(2))?.text).toContain("You allowed it");
  expect(await text()).toContain("plain");
  expect(await effects()).toBe(1);
});

test("a code counts once, for ten minutes, and links the account that sends it to the one who made it, nobody else", async () => {
  const { slack, origin, link, refusals, browser } = await open();
  const { code } = await link("bob", "U-BOB", "approvers");
  expect(await slack.command(origin, "U-EVIL", `link ${code}`)).toContain("was used");
  expect(await slack.command(origin, "U-EVIL", `link ${"x".repeat(20)}`)).toContain("never made");
  expect(await slack.command(origin, "U-EVIL", "help")).toContain("/toolcrib link CODE");
  expect(refusals()).toHaveLength(2);
  // The page shows what is linked, and takes it away again.
  const jar = await browser("bob", "approvers");
  const me = await jar.open(`${origin}/me`);
  expect(me.text).toContain("U-BOB of T1");
  const token = /name="token" value="([^"]*)"/.exec(me.text)?.[1] ?? "";
  const post = (who: typeof jar, fields: Record<string, string>) =>
    who.ask(`${origin}/me/slack`, { method: "POST", headers: { origin }, body: new URLSearchParams(fields) });
  const mallory = await browser("mallory");
  const own = /name="token" value="([^"]*)"/.exec((await mallory.open(`${origin}/me`)).text)?.[1] ?? "";
  expect((await post(mallory, { token: own, team: "T1", user: "U-BOB" })).status).toBe(404);
  expect((await post(jar, { team: "T1", user: "U-BOB" })).status).toBe(403);
  expect((await jar.ask(`${origin}/me/slack`)).status).toBe(303);
  expect((await post(jar, { token, team: "T1", user: "U-BOB" })).status).toBe(303);
  expect((await jar.open(`${origin}/me`)).text).toContain("My Slack accounts: 0");
});

test("a click counts only while the person may come in: unlinked, logged out everywhere or ended, it does not (O8)", async () => {
  const { slack, origin, link, ask, answered, people, place, machines } = await open();
  const { endAccess } = await import("../../src/runtime/people/end-access.ts");
  const { jar } = await link("bob", "U-BOB", "approvers");
  await link("carol", "U-CAROL", "approvers");
  const { value } = await ask();
  const me = await jar.open(`${origin}/me`);
  await jar.submit(me, {}, "/logout");
  await slack.click(origin, "U-BOB", { value, action: "allow" });
  expect((await answered(1))?.text).toContain("not logged in any more");
  const carol = { issuer: IDP, subject: "carol" };
  await endAccess({ place, people, authorizations: { end: async () => {} } }, carol, "dave");
  await slack.click(origin, "U-CAROL", { value, action: "allow" });
  // Their link went with everything else, and does not come back with them.
  expect((await answered(2))?.text).toContain("not linked");
  expect(machines[0]?.crib.approvals.pending).toHaveLength(1);
});

test("what does not fit into a message is not approved unseen: there is the page alone", async () => {
  const { ask, link } = await open();
  await link("bob", "U-BOB", "approvers");
  const { post, link: address } = await ask("alice", { text: "x".repeat(5_000) });
  expect([...buttonsOf(post).keys()]).toEqual(["open"]);
  expect(JSON.stringify(post.blocks)).toContain("Not all of it fits here");
  for (const block of post.blocks) expect(block.text?.text.length ?? 0).toBeLessThanOrEqual(3_000);
  expect(buttonsOf(post).get("open")).toBe(address);
});

test("any machine takes the click, and the one that asked runs the call (O14)", async () => {
  const { slack, origin, link, ask, answered } = await open({}, 3);
  await link("bob", "U-BOB", "approvers");
  for (let count = 1; count <= 3; count += 1) {
    const { value, text, post } = await ask(`alice${count}`);
    await slack.click(origin, "U-BOB", { value, action: "allow" });
    expect((await answered(count))?.text).toBe("You allowed it, once.");
    expect(await text()).toContain("plain");
    await expect.poll(() => post.changes, PATIENCE).toBeGreaterThan(0);
  }
});
