import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { createBrowserJar } from "../support/browser-jar.ts";
import { ensureBuilt } from "../support/built-cli.ts";
import { freePort, letClientIn } from "../support/company-client.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";
import { newMachine, runHere, startUpProcess } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

const ECHO = join(import.meta.dirname, "../fixtures/echo-server.cjs");
const CANARY = "canary-of-a-body-4711";

test("what a person did is proven, read by those who have the key, and deleted with the chain whole (O15)", {
  timeout: 120_000,
}, async () => {
  const provider = await startIdentityProvider();
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  await provider.setClient({
    ...{
      client_id: "toolcrib",
      client_secret: "login-secret-0123456789",
      redirect_uris: [`${publicUrl}/login/callback`],
    },
    ...{ grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
  });
  await provider.setUser("alice", { name: "Alice Ames", groups: ["engineering"] });
  const machine = newMachine();
  const file = join(machine.home, ".config/toolcrib/config.yaml");
  const sent = join(machine.home, "sent.jsonl");
  mkdirSync(dirname(file), { recursive: true });
  const login = { issuer: provider.issuer, clientId: "toolcrib", clientSecret: "login-secret-0123456789" };
  const people = [
    { group: "engineering", profile: "engineers" },
    { group: "engineering", roles: ["auditor"] },
  ];
  const config = {
    mcpServers: { it: { command: process.execPath, args: [ECHO] } },
    toolSearch: "off",
    gateway: { publicUrl, profiles: { engineers: { include: ["it/*"] } }, auth: { login, people } },
    audit: { export: [{ to: "file", path: sent, format: "ocsf" }] },
  };
  writeFileSync(file, JSON.stringify(config));
  const up = await startUpProcess({ cwd: machine.cwd, env: machine.env }, "--port", String(port));
  const run = (...argv: readonly string[]) => runHere(argv, { cwd: machine.cwd, env: machine.env });
  const browser = createBrowserJar();
  await provider.signIn("alice");
  const { access } = await letClientIn(browser, publicUrl);
  const client = await up.connect("", access);
  await client.callTool({ name: "it__echo", arguments: { text: CANARY } });

  // The row says who called by which profile; what it was about stands nowhere in clear.
  const rows = async (...more: readonly string[]) => {
    const { out, err } = await run("audit", "--tool", "it/echo", "--json", ...more);
    expect(err).not.toContain("Error");
    return out
      .trimEnd()
      .split("\n")
      .map((line) => (line === "" ? null : JSON.parse(line)));
  };
  const [row] = await rows();
  expect(row).toMatchObject({
    person: {
      subject: "alice",
      issuer: provider.issuer,
      profiles: [{ name: "engineers", found: 'people group "engineering"' }],
    },
    body: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(JSON.stringify(row)).not.toContain(CANARY);
  expect(readFileSync(up.document.audit, "utf8")).not.toContain(CANARY);
  await vi.waitFor(() => {
    const events = readFileSync(sent, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const call = events.find(({ class_uid }) => class_uid === 6003);
    expect(call).toMatchObject({
      actor: { user: { uid: "alice", domain: provider.issuer } },
      metadata: { uid: row.hash },
    });
  }, 10_000);
  expect(readFileSync(sent, "utf8")).not.toContain(CANARY);

  // Those who have the key read it, and the log says so.
  const [read] = await rows("--person", "Alice Ames", "--bodies");
  expect(read.content).toMatchObject({ arguments: { text: CANARY }, caller: { groups: ["engineering"] } });
  expect((await run("audit")).out).toMatch(/log\.read .*on the command line read 1 body of calls of alice@/);
  const verified = await run("audit", "--verify");
  expect(verified.out).toMatch(/rows of \d+ runs of all machines: as they were written\nbodies of calls: 1 there/);

  // A policy is tried on what calls were about, which nobody sees; that it was opened is a row first.
  const policy = { ...config, filters: [{ name: "case", pattern: "canary-of-a-body", do: "block" }] };
  writeFileSync(join(machine.cwd, "new.yaml"), JSON.stringify(policy));
  const tried = JSON.parse((await run("rehearse", "--policy", "new.yaml", "--json")).out);
  expect(tried).toMatchObject({
    ...{ calls: 1, judged: 1, unjudged: [] },
    changes: [{ tool: "it/echo", from: "ask", to: "deny", code: "filter.blocked", origin: "new.yaml:1" }],
  });
  expect(JSON.stringify(tried)).not.toContain(CANARY);
  expect((await run("audit")).out).toMatch(
    /log\.read .*on the command line tried a policy on 1 body of calls of alice@/,
  );
  const { token, inspector } = up.document;
  const onPage = await fetch(new URL("api/rehearsals", inspector), {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ policy: JSON.stringify(policy) }),
  });
  expect(await onPage.json()).toMatchObject({ judged: 1, next: { deny: 1 } });
  expect((await run("audit")).out).toMatch(/log\.read +the inspector tried a policy on 1 body of calls of alice@/);

  // So does an auditor in the browser, at any machine; a machine's own file is left as it is.
  const shown = await browser.open(`${publicUrl}/api/log?tool=it/echo&bodies=1`);
  expect(JSON.parse(shown.text)).toMatchObject([{ hash: row.hash, content: { arguments: { text: CANARY } } }]);
  expect((await run("audit")).out).toMatch(/log\.read +alice@\S+ read 1 body of calls of alice@/);
  expect(JSON.parse((await browser.open(`${publicUrl}/api/log/verify`)).text)).toMatchObject({ problems: [] });
  expect((await run("audit", "--here", "--tool", "it/echo")).out).toContain("it/echo");
  expect((await run("audit", "--here", "--bodies")).err).toContain("--bodies is about the log that the store has");

  // What is on hold stays; else it goes for good, and the chain says what went.
  writeFileSync(
    file,
    JSON.stringify({ ...config, audit: { ...config.audit, hold: [{ person: "*", reason: "case 12" }] } }),
  );
  const held = await run("audit", "--forget", "alice", "--yes");
  expect([held.status, held.err]).toEqual([3, expect.stringMatching(/audit\.hold names \* .*config\.yaml:1.*case 12/)]);
  writeFileSync(file, JSON.stringify(config));
  expect((await run("audit", "--forget", "alice", "--yes")).out).toMatch(/^1 body of calls of alice@\S+ deleted\./);
  expect((await rows("--bodies"))[0].content).toBe("gone");
  const after = await run("audit", "--verify");
  expect([after.status, after.out]).toEqual([0, expect.stringContaining("bodies of calls: 0 there, 1 deleted")]);
});
