import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { buttonsOf, SLACK_SECRET, SLACK_TOKEN, startSlack } from "../support/loopback-slack.ts";
import { openApprovalsWorld } from "./approvals-world.ts";

const PATIENCE = { timeout: 20_000 };
const SECRET = "webhook-secret-canary-0123456789";

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly at: number;
  // biome-ignore lint/suspicious/noExplicitAny: what arrives is looked at field by field
  readonly body: any;
}

/** Somewhere questions are sent to. */
async function receiver(statusOf: (count: number) => number = () => 200) {
  const got: Delivery[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString("utf8");
      got.push({ headers: request.headers, text, at: Date.now(), body: JSON.parse(text) });
      response.writeHead(statusOf(got.length), { location: "http://127.0.0.1:1/elsewhere" }).end("said");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { got, url: `http://127.0.0.1:${port}/hook?sig=query-canary-0123456789` };
}

const signatureOf = ({ headers, text }: Delivery, secret: string | Buffer): string => {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
  return `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`;
};
const answerOf = async (world: Awaited<ReturnType<typeof openApprovalsWorld>>, link: string, answer: string) => {
  const bob = await world.browser("bob", "approvers");
  return bob.submit(await bob.open(link), { answer });
};

test("a webhook gets the question and how it ended, signed with its time, and a link that answers nothing by itself (O14)", async () => {
  const { got, url } = await receiver();
  const world = await openApprovalsWorld({ approvals: { ask: "approvers", to: [{ webhook: url, secret: SECRET }] } });
  const { pending, link, text } = await world.call("alice", { password: SECRET, note: "hello" });
  await expect.poll(() => got.length, PATIENCE).toBe(1);
  const [asked] = got as [Delivery];
  expect(asked.body).toMatchObject({
    ...{ type: "approval.asked", id: pending.root, tool: "it/plain", server: "it", link, fourEyes: false },
    ...{ caller: { issuer: "https://idp.example.com", subject: "alice" }, reason: expect.stringContaining("it/plain") },
  });
  expect(asked.body.arguments.note).toBe("hello");
  // Secrets that are known stay here.
  expect(asked.text).not.toContain(SECRET);
  expect(asked.headers["webhook-signature"]).toBe(signatureOf(asked, SECRET));
  expect(Math.abs(Number(asked.headers["webhook-timestamp"]) - asked.at / 1_000)).toBeLessThan(5);
  expect((await fetch(link, { redirect: "manual" })).status).toBe(303);
  await answerOf(world, link, "deny");
  expect(await text()).toContain("bob@idp.example.com did not allow it");
  await expect.poll(() => got.length, PATIENCE).toBe(2);
  const [, ended] = got as [Delivery, Delivery];
  expect(ended.body).toEqual({
    ...{ id: pending.root, type: "approval.ended", outcome: "denied", by: "bob@idp.example.com", reason: null },
  });
  expect(ended.headers["webhook-signature"]).toBe(signatureOf(ended, SECRET));
  const told = world.notes.filter(({ type }) => type === "approval.told");
  expect(told.map(({ text: said }) => said)).toEqual([
    expect.stringMatching(/^it\/plain for alice with .*: told to webhook at 127/),
  ]);
  expect(JSON.stringify(world.notes)).not.toContain("canary");
});

test("a secret in the form of Standard Webhooks is its bytes", async () => {
  const { got, url } = await receiver();
  const key = Buffer.alloc(24, 9);
  const secret = `whsec_${key.toString("base64")}`;
  const world = await openApprovalsWorld({ approvals: { ask: "approvers", to: [{ webhook: url, secret }] } });
  await world.call();
  await expect.poll(() => got.length, PATIENCE).toBe(1);
  const [asked] = got as [Delivery];
  expect(asked.headers["webhook-signature"]).toBe(signatureOf(asked, key));
});

test("what does not arrive is sent again with the same id, until it does; what is refused for good is said and left (O14)", async () => {
  const passing = await receiver((count) => (count < 3 ? 503 : 200));
  const refusing = await receiver(() => 403);
  const moving = await receiver(() => 307);
  const to = [passing, refusing, moving].map(({ url }) => ({ webhook: url, secret: SECRET }));
  const world = await openApprovalsWorld({ approvals: { ask: "approvers", to } });
  const { link, text } = await world.call();
  await expect.poll(() => passing.got.length, PATIENCE).toBe(3);
  expect(new Set(passing.got.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect([refusing.got.length, moving.got.length]).toEqual([1, 1]);
  const said = world.problems.map(({ text: each, error }) => `${each} ${error}`);
  expect(said).toHaveLength(3);
  expect(said.join()).toContain("answered with status 403");
  expect(said.join()).not.toContain("canary");
  await answerOf(world, link, "allow");
  expect(await text()).toContain("plain");
  // Who was not told is not told how it ended either.
  await expect.poll(() => passing.got.length, PATIENCE).toBe(4);
  expect([refusing.got.length, moving.got.length]).toEqual([1, 1]);
});

test("a question that nobody answers is told further, then it is a no, and all who were told learn of it (O14)", async () => {
  const [first, second, prod] = [await receiver(), await receiver(), await receiver()];
  const to = [
    { webhook: first.url, secret: SECRET },
    { webhook: second.url, secret: SECRET, after: 700 },
    { webhook: prod.url, secret: SECRET, servers: ["prod"] },
  ];
  const world = await openApprovalsWorld({ approvals: { ask: "approvers", expires: 2_500, to } });
  const { text, effects } = await world.call();
  expect(await text()).toContain("nobody answered in the time there was for it");
  expect(await effects()).toBe(0);
  await expect.poll(() => [first, second].map(({ got }) => got.length), PATIENCE).toEqual([2, 2]);
  expect(first.got.map(({ body }) => body.type)).toEqual(["approval.asked", "approval.ended"]);
  expect(second.got.map(({ body }) => body.type)).toEqual(["approval.escalated", "approval.ended"]);
  expect(second.got[0]?.at).toBeGreaterThanOrEqual((first.got[0]?.at ?? 0) + 500);
  expect(first.got[1]?.body).toMatchObject({
    outcome: "denied",
    reason: "nobody answered in the time there was for it",
  });
  expect(prod.got).toEqual([]);
});

test("what is answered in time is told no further", async () => {
  const late = await receiver();
  const to = [{ webhook: late.url, secret: SECRET, after: 1_500 }];
  const world = await openApprovalsWorld({ approvals: { ask: "approvers", to } });
  const answered = await world.call();
  await answerOf(world, answered.link, "deny");
  await answered.text();
  // Another one that is asked later, and told: by then the first would have been.
  await world.call("carol");
  await expect.poll(() => late.got.length, PATIENCE).toBe(1);
  expect(late.got[0]?.body.caller.subject).toBe("carol");
});

test("Teams gets a card with a link, in which nothing that others say is markup (O14)", async () => {
  const { got, url } = await receiver();
  const world = await openApprovalsWorld({ approvals: { ask: "approvers", to: [{ teams: url }] } });
  const { link } = await world.call("alice", { note: "[click](https://evil.example)" });
  await expect.poll(() => got.length, PATIENCE).toBe(1);
  const [{ body }] = got as [Delivery];
  const [{ contentType, content }] = body.attachments;
  expect([body.type, contentType, content.type]).toEqual([
    ...["message", "application/vnd.microsoft.card.adaptive", "AdaptiveCard"],
  ]);
  expect(content.actions).toEqual([{ type: "Action.OpenUrl", title: "Look and answer", url: link }]);
  expect(new Set(content.body.map(({ type }: { type: string }) => type))).toEqual(new Set(["RichTextBlock"]));
  expect(JSON.stringify(content.body)).toContain("[click](https://evil.example)");
});

test("while Slack is away the call waits on, and the message comes when it is back", async () => {
  const slack = await startSlack();
  slack.world.status = 503;
  const app = { token: SLACK_TOKEN, signingSecret: SLACK_SECRET, api: slack.api };
  const approvals = { ask: "approvers", slack: app, to: [{ slack: "C1" }] };
  const world = await openApprovalsWorld({ approvals });
  const { link } = await world.call();
  await expect.poll(() => slack.world.requests, PATIENCE).toBeGreaterThan(0);
  slack.world.status = 200;
  await expect.poll(() => slack.posts.length, PATIENCE).toBe(1);
  expect(buttonsOf(slack.posts[0] ?? { blocks: [] }).get("open")).toBe(link);
  expect(world.problems.map(({ error }) => String(error)).join()).not.toContain("canary");
});
