import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { startAuthServer } from "../oauth/auth-server.ts";
import { createBrowserJar } from "../support/browser-jar.ts";
import { ensureBuilt } from "../support/built-cli.ts";
import { freePort, letClientIn } from "../support/company-client.ts";
import { startIdentityProvider } from "../support/identity-provider.ts";
import { listen } from "../support/loopback-mcp.ts";
import { SLACK_SECRET, SLACK_TOKEN, startSlack } from "../support/loopback-slack.ts";
import { newMachine, runHere, startUpProcess } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

const ECHO = join(import.meta.dirname, "../fixtures/echo-server.cjs");
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const NAME = `<img src=x onerror="alert('name')">\u001b[31m`;
const CLIENT = "<script>alert('client')</script>";
const GROUP = "<b>group</b>";
/** What a page would take for more than text. */
const MARKUP = ["<img src=x", "<script>alert", "<b>group"];

/** A configuration with a secret wherever one can be. */
const WRITTEN = (
  publicUrl: string,
  issuer: string,
  { api, login, slack }: Readonly<Record<"api" | "login" | "slack", string>>,
) => `mcpServers:
  it: { command: ${process.execPath}, args: [${ECHO}], env: { API_KEY: "\${SERVER_SECRET}" } }
openapi:
  boards:
    spec: "${api}/openapi.json"
    baseUrl: "${api}"
    credentials: person
    oauth:
      { clientId: known-client, clientSecret: "\${BOARDS_SECRET}", authorizationUrl: "${login}/authorize", tokenUrl: "${login}/token" }
  tracker: { spec: "${api}/openapi.json", baseUrl: "${api}", credentials: { kind: key, header: x-key } }
  orders:
    spec: "${api}/openapi.json"
    baseUrl: "${api}"
    credentials: { kind: exchange, resource: "https://orders.example.com", scopes: ["tools:call"] }
  refunds:
    spec: "${api}/openapi.json"
    baseUrl: "${api}"
    credentials:
      { kind: exchange, issuer: "${issuer}", clientId: exchanger, clientSecret: "\${EXCHANGE_SECRET}", audience: refunds }
  stamps: { spec: "${api}/openapi.json", baseUrl: "${api}", credentials: signed }
filters: [{ name: house, tools: ["orders/*"], judge: { url: "${api}/judge", secret: "\${JUDGE_SECRET}" } }]
permissions: { allow: ["*"], ask: ["stamps/ask"] }
toolSearch: off
audit:
  export: [{ to: https, url: "http://127.0.0.1:9/rows?key=\${EXPORT_KEY}", headers: { Authorization: "Bearer \${EXPORT_SECRET}" } }]
gateway:
  publicUrl: ${publicUrl}
  clients: [{ name: build, token: "\${BUILD_TOKEN}" }]
  profiles: { all: {} }
  approvals:
    ask: approvers
    expires: 1000
    slack: { token: "\${SLACK_TOKEN}", signingSecret: "\${SLACK_SIGNING_SECRET}", api: "${slack}" }
    to: [{ slack: C0123ABCD }, { webhook: "${api}/hook?key=\${HOOK_KEY}", secret: "\${HOOK_SECRET}" }]
  auth:
    keys: ["\${SEALING_KEY}"]
    login: { issuer: "${issuer}", clientId: toolcrib, clientSecret: "\${LOGIN_SECRET}" }
    people:
      - { group: ["${GROUP}"], profile: all, roles: [member] }
      - { group: [others], roles: [approver] }
`;

const READ = [
  ..."overview choices toolset what-if why/it__echo search?q=echo usage servers calls approvals changes".split(" "),
  ..."sessions runs runs/new questions world".split(" "),
];

test("no secret is in any output of a gateway for a company, and no name is taken for markup (O19)", {
  timeout: 120_000,
}, async () => {
  const provider = await startIdentityProvider();
  const port = await freePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const settings = {
    SERVER_SECRET: "server-secret-canary-0123456789",
    BUILD_TOKEN: "build-token-canary-0123456789abcdef",
    SEALING_KEY: randomBytes(32).toString("base64"),
    LOGIN_SECRET: "login-secret-canary-0123456789",
    EXPORT_KEY: "export-key-canary-0123456789",
    EXPORT_SECRET: "export-secret-canary-0123456789",
    BOARDS_SECRET: "boards-client-secret-canary-0123456789",
    EXCHANGE_SECRET: "exchange-secret-canary-0123456789",
    JUDGE_SECRET: "judge-secret-canary-0123456789",
    HOOK_SECRET: "hook-secret-canary-0123456789",
    HOOK_KEY: "hook-key-canary-0123456789",
    ...{ SLACK_TOKEN, SLACK_SIGNING_SECRET: SLACK_SECRET },
  };
  const boards = await startAuthServer();
  const [api, slack] = [await startApi(), await startSlack()];
  await provider.setClient({
    ...{ client_id: "toolcrib", client_secret: settings.LOGIN_SECRET, redirect_uris: [`${publicUrl}/login/callback`] },
    ...{ grant_types: ["authorization_code", "refresh_token", EXCHANGE], response_types: ["code"] },
  });
  await provider.setClient({
    ...{ client_id: "exchanger", client_secret: settings.EXCHANGE_SECRET, redirect_uris: [] },
    ...{ grant_types: [EXCHANGE], response_types: [] },
  });
  await provider.setUser("alice", { name: NAME, groups: [GROUP] });
  const machine = newMachine({ "s.yaml": `replies: [{ text: It is ${settings.LOGIN_SECRET}. }]\n` });
  const place = { cwd: machine.cwd, env: { ...machine.env, ...settings } };
  const file = join(machine.home, ".config/toolcrib/config.yaml");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, WRITTEN(publicUrl, provider.issuer, { api: api.origin, login: boards.origin, slack: slack.api }));
  const up = await startUpProcess(place, "--port", String(port), "--log-level", "debug");
  const { token: main, audit } = up.document;
  const outputs = new Map<string, string>();
  const ask = async (path: string, token: string | null = null): Promise<Response> => {
    const answer = await fetch(`${publicUrl}${path}`, {
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      redirect: "manual",
    }).catch((error: unknown) => {
      const { exitCode, signalCode } = up.child;
      throw new Error(`${path} (${exitCode}, ${signalCode}): ${up.said().slice(-2_500)}`, { cause: error });
    });
    outputs.set(`${token === null ? "" : "with a token: "}${path}`, await answer.clone().text());
    return answer;
  };

  // Somebody logs in, lets a client have the tools, and uses them; others fail at each of these.
  await provider.signIn("alice");
  const browser = createBrowserJar();
  const callback = await browser.open(`${publicUrl}/me`, (url) => url.startsWith(`${publicUrl}/login/callback`));
  const begun = browser.cookie(publicUrl, "toolcrib-login") ?? "";
  const failed = await createBrowserJar().open(callback.url);
  const { text: before, status } = await browser.open(callback.url);
  expect(status, before).toBe(200);
  const given = await letClientIn(browser, publicUrl, CLIENT);
  const client = await up.connect("", given.access);
  await vi.waitFor(
    async () => expect((await client.listTools()).tools.map(({ name }) => name)).toContain("it__echo"),
    20_000,
  );
  const text = Object.values(settings).join(" ");
  expect(JSON.stringify(await client.callTool({ name: "it__echo", arguments: { text } }))).toContain("canary");
  // A call without a login asks for one; then the person logs in there, and enters a key elsewhere.
  const asked = JSON.stringify(await client.callTool({ name: "boards__who", arguments: {} }));
  const [, ticketOfLink = ""] = /\/connect\/([\w-]{43})/.exec(asked) ?? [];
  const connected = await browser.submit(await browser.open(`${publicUrl}/connect/${ticketOfLink}`));
  expect(connected.text).toContain("You are connected");
  const key = "tracker-key-canary-0123456789";
  const entered = await browser.submit(await browser.open(`${publicUrl}/connect?server=tracker`), { key });
  // An API may repeat how somebody proved who they are.
  for (const name of ["boards__who", "tracker__who", "orders__who", "stamps__who"]) {
    const said = JSON.stringify(await client.callTool({ name, arguments: {} }));
    expect([name, said]).toEqual([name, expect.stringContaining("is known")]);
    outputs.set(`result of ${name}`, said);
  }
  // The provider knows that client, and gives it nothing for the token of another one.
  const refusal = JSON.stringify(await client.callTool({ name: "refunds__who", arguments: {} }));
  expect(refusal).toContain("invalid_grant");
  outputs.set("result of refunds__who", refusal);
  // A call waits for an approver; nobody answers.
  outputs.set(
    "result of stamps__ask",
    JSON.stringify(await client.callTool({ name: "stamps__ask", arguments: { text } })),
  );
  await vi.waitFor(() =>
    expect([api.told.has("/judge"), api.told.has("/hook"), slack.posts.length]).toEqual([true, true, 1]),
  );
  outputs.set("Slack", JSON.stringify(slack.posts));
  for (const [path, said] of api.told) outputs.set(`sent to ${path}`, said);
  const connectState = boards.asked("/authorize")[0]?.params.get("state") ?? "";
  const me = await browser.open(`${publicUrl}/me`);
  expect(me.text).toContain("&lt;img src=x");
  for (const [name, said] of Object.entries({
    ...{ before, failed: failed.text, consent: given.consent, me: me.text },
    ...{ connected: connected.text, entered: entered.text },
  }))
    outputs.set(`page ${name}`, said);
  const part = (bytes: number): string => randomBytes(bytes).toString("base64url");
  const jwt = [
    { alg: "ES256", kid: "1" },
    { iss: "https://other.example.com", sub: NAME },
  ]
    .map((each) => Buffer.from(JSON.stringify(each)).toString("base64url"))
    .concat(part(64))
    .join(".");
  const strangers = [`tca_${part(43)}`, jwt, part(32)];
  for (const token of strangers) expect((await ask("/mcp", token)).status).toBe(401);
  await ask(`/authorize?${new URLSearchParams({ client_id: CLIENT, redirect_uri: CLIENT, state: NAME })}`);
  await ask(`/login/callback?${new URLSearchParams({ state: CLIENT, code: given.code, error: NAME })}`);
  const shown = { grant_type: "refresh_token", refresh_token: given.refresh, client_id: "tcc_another" };
  const refused = await fetch(`${publicUrl}/token`, { method: "POST", body: new URLSearchParams(shown) });
  outputs.set("/token", await refused.text());

  // Everything that can be read.
  for (const path of ["/healthz", "/login", "/nothing", "/.well-known/oauth-authorization-server"]) await ask(path);
  for (const path of ["/metrics", ...READ.map((each) => `/api/${each}`)]) {
    const answer = await ask(path, main);
    expect([path, answer.status]).toEqual([path, expect.toSatisfy((code) => [200, 404, 422].includes(code))]);
    expect(answer.headers.get("content-type")).not.toContain("html");
  }
  const run = async (...argv: readonly string[]): Promise<string> => {
    const { out, err, status: code } = await runHere(argv, place);
    expect([argv, code, err], out).toEqual([
      argv,
      expect.toSatisfy((each) => each === 0 || each === 1),
      expect.any(String),
    ]);
    // What somebody asks for is theirs: a link, or what a model says.
    if (argv[1] !== "invite" && argv[0] !== "run") outputs.set(argv.join(" "), out + err);
    return out;
  };
  const alice = `alice@127.0.0.1:${new URL(provider.issuer).port}`;
  const { link } = JSON.parse(await run("people", "invite", "erin", "--json"));
  await run("run", "Say a secret", "--model", "scripted:s.yaml", "--keep");
  const [kept] = JSON.parse(await run("sessions", "list", "--json")).sessions;
  for (const format of ["jsonl", "md", "html"]) {
    await run("sessions", "export", kept.id, "--format", format);
    const answer = await ask(`/api/sessions/${kept.id}/export?format=${format}`, main);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(kept.id)]);
  }
  for (const argv of ["config", "config --json", "doctor", "doctor --json", "people", "people --json", "audit --json"])
    await run(...argv.split(" "));
  for (const argv of [
    ["people", "show", alice],
    ["logins"],
    ["logins", "--json"],
    ["list", "--person", alice],
    ["why", "it__echo", "--person", alice],
  ])
    await run(...argv);
  for (const pid of familyOf(up.child.pid ?? 0))
    outputs.set(`arguments of ${pid}`, readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  await up.end();
  expect(up.said()).toContain("toolcrib: debug: ");
  outputs.set("up", up.said().replaceAll(main, ""));
  outputs.set("log", readFileSync(audit, "utf8"));

  const { searchParams } = new URL(callback.url);
  const secrets = Object.entries({
    ...{ ...settings, ...given, consent: "", client_id: "", main, begun },
    ...{ cookie: (browser.cookie(publicUrl, "toolcrib") ?? "").split(".").at(-1) ?? "" },
    ...{ state: searchParams.get("state") ?? "", invitation: new URL(link).hash.slice(1) },
    ...{ ticketOfLink, key, connectState },
    ...Object.fromEntries(api.proofs.map((proof, at) => [`shown to an API ${at}`, proof])),
    ...Object.fromEntries(boards.given.map((token, at) => [`of the boards ${at}`, token])),
    ...Object.fromEntries(strangers.map((token, at) => [`stranger ${at}`, token.split(".").at(-1) ?? ""])),
    ...Object.fromEntries((await provider.issued()).map((token, at) => [`of the provider ${at}`, token])),
  }).filter(([, secret]) => secret !== "");
  expect(secrets.length).toBeGreaterThan(25);
  const found = secrets.flatMap(([name, secret]) => {
    expect([name, secret.length]).toEqual([name, expect.toSatisfy((length) => length > 20)]);
    return [...outputs].filter(([, said]) => said.includes(secret)).map(([where]) => `${name} in ${where}`);
  });
  // The form of a page holds the ticket that it is answered with. A link is part of the result that the call gave, and was
  // used; it would have opened for Alice alone.
  expect(found).toEqual(["ticket in page consent", "ticketOfLink in with a token: /api/calls"]);
  const isPage = (where: string): boolean => /^page|^\/|html$/.test(where);
  const taken = [...outputs].flatMap(([where, said]) =>
    [...(isPage(where) ? MARKUP : []), "\u001b[31m"]
      .filter((each) => said.includes(each))
      .map((each) => `${each} in ${where}`),
  );
  expect(taken).toEqual([]);
});

/** APIs that know everybody and repeat what they come with, and those who are told of calls. */
async function startApi() {
  const responses = { 200: { description: "a name" } };
  const text = { name: "text", in: "query", schema: { type: "string" } };
  const paths = {
    "/who": { get: { operationId: "who", summary: "Who is asking", responses } },
    "/ask": { get: { operationId: "ask", summary: "Asked about first", parameters: [text], responses } },
  };
  const document = { openapi: "3.1.0", info: { title: "API", version: "1" }, paths };
  const proofs: string[] = [];
  const told = new Map<string, string>();
  const { origin } = await listen((request, response, body) => {
    const { pathname: path } = new URL(request.url ?? "/", "http://127.0.0.1");
    response.setHeader("content-type", "application/json");
    if (path === "/openapi.json") return response.end(JSON.stringify(document));
    if (path === "/judge" || path === "/hook") {
      told.set(path, `${told.get(path) ?? ""}${body}`);
      return response.end(JSON.stringify({ accept: true }));
    }
    const { authorization, "x-key": key } = request.headers;
    const proof = authorization?.replace(/^Bearer /, "") ?? String(key);
    proofs.push(proof);
    return response.end(JSON.stringify({ name: `who shows ${proof} is known` }));
  });
  return { origin, proofs, told };
}

/** The process and all below it; none where the system does not show them. */
function familyOf(root: number): readonly number[] {
  if (!existsSync("/proc/self/stat")) return [];
  const parents = readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, parent = ""] = /\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      return [[Number(name), Number(parent)] as const];
    } catch {
      return []; // It has ended.
    }
  });
  const below = (pid: number): readonly number[] => [
    pid,
    ...parents.flatMap(([id, by]) => (by === pid ? below(id) : [])),
  ];
  return below(root);
}
