import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { createWanderer, firstOf, lastOf } from "../gateway/machines.ts";
import { createBrowserJar } from "../support/browser-jar.ts";
import { ensureBuilt, startCli } from "../support/built-cli.ts";
import { freePort, letClientIn } from "../support/company-client.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";
import { buttonsOf, SLACK_SECRET, SLACK_TOKEN, startSlack } from "../support/loopback-slack.ts";
import { newMachine, runHere, startUpProcess } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

const GUIDE = readFileSync(new URL("../../docs/guides/approvals-in-slack.md", import.meta.url), "utf8");
const [, WRITTEN = ""] = /```yaml\n(gateway:[\s\S]*?)```/.exec(GUIDE) ?? [];
const COUNTING = new URL("../fixtures/task-server.cjs", import.meta.url).pathname;
const PATIENCE = { timeout: 30_000 };

/** The guide's own configuration on this machine: its provider, its addresses, Slack, and a server that counts. */
const asWritten = (publicUrl: string, issuer: string, api: string): string =>
  WRITTEN.replace("https://tools.example.com", publicUrl)
    .replace("https://idp.example.com/realms/corp", issuer)
    .replace("github/merge_pull_request", "github/plain")
    .replace('signingSecret: "$', `api: "${api}", signingSecret: "$`);

test("the guide's configuration: a call waits in Slack, its machine is killed, a colleague clicks, and it runs once (O14, M2)", {
  timeout: 180_000,
}, async () => {
  const [provider, slack, port] = [await startIdentityProvider(), await startSlack(), await freePort()];
  const publicUrl = `http://127.0.0.1:${port}`;
  const secret = "login-secret-canary-0123456789";
  await provider.setClient({
    ...{ client_id: "toolcrib", client_secret: secret, redirect_uris: [`${publicUrl}/login/callback`] },
    ...{ grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
  });
  await provider.setUser("alice", { name: "Alice Ames", groups: ["engineering", "release"] });
  await provider.setUser("bob", { name: "Bob Bode", groups: ["release"] });
  const machine = newMachine();
  const variables = { TOOLCRIB_LOGIN_SECRET: secret, SLACK_TOKEN, SLACK_SIGNING_SECRET: SLACK_SECRET };
  const place = { cwd: machine.cwd, env: { ...machine.env, ...variables } };
  const file = join(machine.home, ".config/toolcrib/config.yaml");
  mkdirSync(dirname(file), { recursive: true });
  const servers = `mcpServers: { github: { command: ${process.execPath}, args: [${COUNTING}] } }\ntoolSearch: off\n`;
  writeFileSync(file, `${asWritten(publicUrl, provider.issuer, slack.api)}${servers}`);
  const start = () => startUpProcess(place, "--port", String(port), "--log-level", "debug");
  const first = await start();

  // Two approvers link their accounts, once each.
  const codes: string[] = [];
  const logIn = async (subject: string, user: string) => {
    const jar = createBrowserJar();
    await provider.signIn(subject);
    const page = await jar.submit(await jar.open(`${publicUrl}/me`), {}, "/me/slack");
    const code = /\/toolcrib link ([\w-]{20})/.exec(page.text)?.[1] ?? "";
    codes.push(code);
    expect(await slack.command(publicUrl, user, `link ${code}`)).toContain(`${subject}@`);
    return jar;
  };
  await logIn("bob", "U-BOB");
  const alice = await logIn("alice", "U-ALICE");

  // Alice's client makes a call that waits, and its machine ends like a machine that loses its power.
  const given = await letClientIn(alice, publicUrl);
  const client = createWanderer(given.access);
  await client.initialize(`${publicUrl}/mcp`);
  const params = { name: "github__plain", arguments: { note: "hello" } };
  const begun = await firstOf(await client.send(`${publicUrl}/mcp`, { id: 7, method: "tools/call", params }));
  await expect.poll(() => slack.posts.length, PATIENCE).toBe(1);
  // Where it was posted is known to others from then on.
  await expect.poll(() => readFileSync(first.document.audit, "utf8"), PATIENCE).toContain('"type":"approval.told"');
  const [post] = slack.posts;
  const value = buttonsOf(post ?? { blocks: [] }).get("allow") ?? "";
  await first.end("SIGKILL");
  // In its place one without a page and without a terminal: nobody watches it, and approvers may come all the same.
  const second = startCli(["serve", "--http", "--json", "--port", String(port)], place);
  const ended = once(second, "close");
  onTestFinished(async () => {
    second.kill("SIGKILL");
    await ended;
  });
  const printed: Buffer[] = [];
  for (const stream of [second.stdout, second.stderr]) stream?.on("data", (part: Buffer) => printed.push(part));
  const isUp = () =>
    fetch(`${publicUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isUp, PATIENCE).toBe(true);

  // Four eyes: Alice is an approver too, and not of her own call.
  const click = (user: string) => slack.click(publicUrl, user, { value, action: "allow" });
  await click("U-ALICE");
  await expect.poll(() => slack.ephemeral.at(-1)?.text, PATIENCE).toContain("own call");
  await click("U-BOB");
  await expect.poll(() => slack.ephemeral.at(-1)?.text, PATIENCE).toBe("You allowed it, once.");
  const answer = await lastOf(await client.open(`${publicUrl}/mcp`, begun.id ?? ""));
  expect(answer?.message).toMatchObject({ id: 7, result: { content: [{ text: "plain" }] } });
  const seen = await client.request(`${publicUrl}/mcp`, "tools/call", { name: "github__seen", arguments: {} });
  expect(JSON.parse(seen.result.content[0].text).started).toBe(1);
  await expect.poll(() => post?.changes, PATIENCE).toBeGreaterThan(0);
  expect(JSON.stringify(post?.blocks)).toMatch(/allowed by bob@.* in Slack/);
  expect(slack.posts).toHaveLength(1);

  // The log says who, and nothing holds a secret.
  const again = client.send(`${publicUrl}/mcp`, { id: 9, method: "tools/call", params });
  await expect.poll(() => slack.posts.length, PATIENCE).toBe(2);
  second.kill("SIGINT");
  await Promise.all([ended, again.then((left) => left.text())]).catch(() => undefined);
  const log = readFileSync(first.document.audit, "utf8");
  expect(log).toMatch(/"by":"bob@[^"]* in Slack"/);
  for (const type of ["approval.refused", "person.slack"]) expect(log).toContain(`"type":"${type}"`);
  expect(await runHere(["audit", "--verify"], place)).toMatchObject({ status: 0 });
  const outputs = [
    log,
    first.said(),
    Buffer.concat(printed).toString("utf8"),
    (await runHere(["config", "--json"], place)).out,
  ];
  for (const canary of [SLACK_TOKEN, SLACK_SECRET, secret, given.access, ...codes])
    for (const [at, output] of outputs.entries())
      expect([canary, at, output.includes(canary)]).toEqual([canary, at, false]);
});
