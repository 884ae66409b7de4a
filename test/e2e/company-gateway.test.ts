import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { createBrowserJar } from "../support/browser-jar.ts";
import { ensureBuilt } from "../support/built-cli.ts";
import { freePort, letClientIn } from "../support/company-client.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";
import { newMachine, runHere, startUpProcess } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

const GUIDE = readFileSync(new URL("../../docs/guides/one-gateway-for-a-company.md", import.meta.url), "utf8");
const [, WRITTEN = ""] = /```yaml\n(mcpServers:[\s\S]*?)```/.exec(GUIDE) ?? [];
const ECHO = join(import.meta.dirname, "../fixtures/echo-server.cjs");

/** The guide's own configuration on this machine: its provider, its addresses, and a server that answers here. */
function asWritten(publicUrl: string, issuer: string): string {
  return WRITTEN.replace(/github: \{.*\}/, `github: { command: ${process.execPath}, args: [${ECHO}] }`)
    .replace("https://tools.example.com", publicUrl)
    .replace("https://idp.example.com/realms/corp", issuer)
    .replaceAll("github/get_*", "github/echo")
    .replace("github/delete_*", "github/exit");
}

test("the guide's configuration, from the first login to the end of somebody's access", {
  timeout: 120_000,
}, async () => {
  const provider = await startIdentityProvider();
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const secret = "login-secret-canary-0123456789";
  await provider.setClient({
    ...{ client_id: "toolcrib", client_secret: secret, redirect_uris: [`${publicUrl}/login/callback`] },
    ...{ grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
  });
  await provider.setUser("alice", { name: "Alice Ames", groups: ["engineering"] });
  const machine = newMachine();
  const env = { ...machine.env, TOOLCRIB_LOGIN_SECRET: secret };
  const file = join(machine.home, ".config/toolcrib/config.yaml");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${asWritten(publicUrl, provider.issuer)}toolSearch: off\n`);
  const up = await startUpProcess({ cwd: machine.cwd, env }, "--port", String(port));
  const run = (...argv: readonly string[]) => runHere(argv, { cwd: machine.cwd, env });

  // Before anybody comes, the groups say what they would get.
  const why = await run("why", "github/exit", "--person", "alice", "--groups", "engineering");
  expect(why.out.replace(/\s+/g, " ")).toContain('people group "engineering" gives profile "engineers"');

  // Alice logs in with her browser, and lets a client have her tools.
  const browser = createBrowserJar();
  await provider.signIn("alice");
  const page = await browser.open(`${publicUrl}/me`);
  expect(page).toMatchObject({ url: `${publicUrl}/me`, status: 200 });
  expect(page.text).toContain("Alice Ames");
  const { access, code } = await letClientIn(browser, publicUrl);
  const client = await up.connect("", access);
  await vi.waitFor(async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["github__change", "github__echo", "github__pid", "github__wait"]);
  }, 20_000);
  const called = await client.callTool({ name: "github__echo", arguments: { text: "hello" } });
  expect(JSON.stringify(called.content)).toContain("hello");

  // People know her, and the log does: nowhere a secret.
  expect((await run("people")).out).toMatch(/alice@127\.0\.0\.1:\d+ +Alice Ames +everybody, engineers +member/);
  const log = readFileSync(up.document.audit, "utf8");
  expect(log).toContain(`"principal":"alice@127.0.0.1:`);
  for (const canary of [secret, access, code]) expect(log).not.toContain(canary);

  // Her access ends everywhere within five seconds, and she cannot come back.
  const waiting = client.callTool({ name: "github__wait", arguments: {} }).catch(() => "ended");
  expect((await run("people", "end", "alice", "--yes")).status).toBe(0);
  // Its stream breaks, or says why.
  expect(JSON.stringify(await waiting)).toMatch(/ended|cancelled/);
  await vi.waitFor(async () => {
    const answer = await fetch(`${publicUrl}/mcp`, { headers: { authorization: `Bearer ${access}` } });
    expect(answer.status).toBe(401);
  }, 5_000);
  const again = await browser.open(`${publicUrl}/me`);
  expect([again.status, again.text]).toEqual([403, expect.stringContaining("Your access has ended")]);
  // The log proves it: who did it, and that nothing of hers is open any longer; two programs have written it.
  await up.end();
  const rows = readFileSync(up.document.audit, "utf8").trim().split("\n");
  const ended = rows.map((row) => JSON.parse(row)).filter(({ type }) => type === "person.ended");
  expect(ended.map(({ text }) => text).sort()).toEqual([
    expect.stringMatching(/^nothing of theirs is open here any longer: their access was ended by .*command line$/),
    expect.stringMatching(/^their access was ended by .*command line$/),
  ]);
  expect(await run("audit", "--verify")).toMatchObject({ status: 0 });
});
