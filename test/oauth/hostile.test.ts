import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createAuthFetch } from "../../src/sources/mcp/oauth/auth-fetch.ts";
import { type LogInOptions, logIn } from "../../src/sources/mcp/oauth/log-in.ts";
import { createLoginStore } from "../../src/sources/mcp/oauth/login-store.ts";
import { openBrowser } from "../../src/surfaces/cli/servers/open-browser.ts";
import { createDeferred } from "../../src/system/time/deferred.ts";
import { listen } from "../support/loopback-mcp.ts";
import { createMachine, runCli } from "../support/run-cli.ts";
import { type AuthServer, startAuthServer } from "./auth-server.ts";
import { browse, type Oddities, startProtectedMcp } from "./protected-mcp.ts";

const NEVER = new AbortController().signal;

const HOSTILE = [
  "file:///etc/passwd",
  "javascript:alert(1)",
  "data:text/html,hi",
  "--version",
  "-u https://evil.example",
  "http://127.0.0.1/$(touch owned)",
  "https://evil.example/$(touch owned)",
  "https://evil.example/`touch owned`",
  "https://evil.example/a;touch owned",
  "https://evil.example/a'b",
  'https://evil.example/a"b',
  "https://evil.example/a|b",
  "https://user:word@evil.example/",
  "http://evil.example/authorize",
  "http://127.0.0.1.evil.example/authorize",
  "ms-msdt:/id%20PCWDiagnostic",
  "vscode://evil/install",
  "\\\\evil.example\\share",
  "",
];

describe("metadata that names something else than a plain address is refused, and nothing is shown or started", () => {
  test.each(HOSTILE)("authorization endpoint %j", async (endpoint) => {
    const { auth, attempt } = await prepared();
    auth.metadata = { authorization_endpoint: endpoint };
    await expect(attempt()).rejects.toMatchObject({ code: expect.stringMatching(/^login\./) });
    expect(auth.seen.map(({ path }) => path)).toEqual(["/.well-known/oauth-authorization-server"]);
  });

  test.each(HOSTILE)("token endpoint %j", async (endpoint) => {
    const { auth, attempt } = await prepared();
    auth.metadata = { token_endpoint: endpoint };
    await expect(attempt()).rejects.toMatchObject({ code: expect.stringMatching(/^login\./) });
    expect(auth.asked("/register")).toEqual([]);
  });

  test.runIf(process.platform === "linux")(
    "the whole command opens no browser for it, and does open one for an honest address, as one plain argument",
    async () => {
      const auth = await startAuthServer();
      const server = await startProtectedMcp(auth);
      const machine = createMachine({ user: JSON.stringify({ mcpServers: { demo: { url: server.url } } }) });
      const { env, opened } = fakeLauncher(machine.home);
      const login = (onErr: (text: string) => void) =>
        runCli(["servers", "login", "demo", "--json"], { cwd: machine.cwd, env, types: "", onErr });
      auth.metadata = { authorization_endpoint: `${auth.origin}/$(touch ${machine.home}/owned)` };
      const refused = await login(() => {});
      expect(JSON.parse(refused.out).error.code).toBe("login.address-refused");
      expect(refused.err).not.toContain("touch");
      expect(opened()).toBeNull();

      auth.metadata = {};
      const done = await login((text) => {
        const address = /^ {2}(http\S+)$/m.exec(text)?.[1];
        if (address !== undefined)
          void vi
            .waitUntil(opened, { timeout: 30_000 })
            .then(() => browse(address))
            .then((back) => fetch(back));
      });
      expect(done.status, done.out).toBe(0);
      const [first = "", ...rest] = opened() ?? [];
      expect(first.startsWith(`${auth.origin}/authorize?`)).toBe(true);
      expect(rest).toEqual([]);
      expect(existsSync(join(machine.home, "owned"))).toBe(false);
    },
  );

  test.runIf(process.platform === "linux")(
    "the launcher gets nothing that a shell would read, and nothing but web addresses",
    async () => {
      const home = temporary();
      const { env, opened } = fakeLauncher(home);
      expect(await openBrowser(new URL("file:///etc/passwd"), env)).toBe(false);
      expect(await openBrowser(new URL("https://a.example/"), { ...env, DISPLAY: "" })).toBe(false);
      expect(opened()).toBeNull();
      await openBrowser(new URL("https://a.example/?q=$(id)`id`';!*|x&y=1"), env);
      expect(await vi.waitUntil(opened, { timeout: 30_000 })).toEqual([
        "https://a.example/?q=%24%28id%29%60id%60%27%3B%21%2A%7Cx&y=1",
      ]);
    },
  );
});

describe("what belongs to somebody else is refused", () => {
  test("a description of another resource", async () => {
    const { auth, attempt } = await prepared({
      described: (description) => ({ ...description, resource: "https://bank.example/mcp" }),
    });
    await expect(attempt()).rejects.toMatchObject({ code: "login.address-refused" });
    expect(auth.seen).toEqual([]);
  });

  test("metadata of another issuer", async () => {
    const { auth, attempt } = await prepared();
    auth.metadata = { issuer: "https://accounts.example" };
    await expect(attempt()).rejects.toThrow("another issuer");
    expect(auth.asked("/register")).toEqual([]);
  });

  test("a description that redirects to another origin", async () => {
    const elsewhere = await listen((_request, response) => response.writeHead(200).end("{}"));
    const { attempt } = await prepared({
      first(request, response) {
        if (!request.url?.startsWith("/.well-known/")) return false;
        response.writeHead(302, { location: elsewhere.origin }).end();
        return true;
      },
    });
    await expect(attempt()).rejects.toMatchObject({ code: "login.failed" });
    expect(elsewhere.requests).toEqual([]);
  });

  test.each(["http://10.0.0.1/x", "http://evil.example/x"])("a description at %s", async (descriptionUrl) => {
    const { auth, attempt } = await prepared({ descriptionUrl });
    await expect(attempt()).rejects.toMatchObject({ code: "login.address-refused" });
    expect(auth.seen).toEqual([]);
  });

  test("an address inside this network, named by a server outside of it", async () => {
    const canary = await listen((_request, response) => response.writeHead(200).end("{}"));
    const names = new Map([
      ["mcp.example", "93.184.215.14"],
      ["rebound.example", "127.0.0.1"],
    ]);
    const reach = {
      lookup: async (host: string) => [{ address: names.get(host) ?? "", family: 4 as const }],
      isAllowed: (address: string) => address === "93.184.215.14",
    };
    const { fetch: fetchIt, close } = createAuthFetch({
      server: new URL("https://mcp.example/mcp"),
      signal: NEVER,
      reach,
    });
    onTestFinished(close);
    const { port } = new URL(canary.origin);
    const inside = [
      "127.0.0.1",
      "[::ffff:7f00:1]",
      "2130706433",
      "0x7f.1",
      "localhost",
      "rebound.example",
      "169.254.169.254",
    ];
    for (const host of inside)
      await expect(fetchIt(`https://${host}:${port}/`), host).rejects.toMatchObject({ code: "login.address-refused" });
    await expect(fetchIt(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: "login.address-refused" });
    expect(canary.requests).toEqual([]);
  });

  test("plain http to a server on another machine: no token is asked for, because it could be read", async () => {
    const { attempt } = await prepared();
    await expect(attempt({ server: new URL("http://mcp.example/mcp") })).rejects.toMatchObject({
      code: "login.address-refused",
    });
  });

  test("an authorization server without PKCE", async () => {
    const { auth, attempt } = await prepared();
    auth.metadata = { code_challenge_methods_supported: ["plain"] };
    await expect(attempt()).rejects.toMatchObject({ code: "login.not-offered" });
  });

  test("an answer that is larger than any honest one", async () => {
    const { auth, attempt } = await prepared();
    auth.metadata = { service_documentation: `https://a.example/${"x".repeat(300_000)}` };
    await expect(attempt()).rejects.toThrow("too large");
  });
});

describe("the way back", () => {
  test("an answer with another state is refused, and the right one is still taken", async () => {
    const { auth, attempt, shown } = await prepared();
    const login = attempt();
    const back = new URL(await browse(await shown));
    const forged = new URL(back);
    forged.searchParams.set("state", "x".repeat(43));
    expect((await fetch(forged)).status).toBe(400);
    forged.searchParams.delete("state");
    expect((await fetch(forged)).status).toBe(400);
    expect(auth.asked("/token")).toEqual([]);
    expect((await fetch(back)).status).toBe(200);
    expect((await login).issuer).toBe(auth.issuer);
  });

  test("an answer of another issuer, or of none where one is promised, is refused, and its code is never sent on", async () => {
    for (const iss of ["https://evil.example", undefined]) {
      const { auth, attempt, shown, folder } = await prepared();
      auth.iss = iss;
      const login = expect(attempt()).rejects.toThrow("another issuer");
      await fetch(await browse(await shown));
      await login;
      expect(auth.asked("/token")).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  test("of an answer of another issuer not even the refusal is believed", async () => {
    const { auth, attempt, shown } = await prepared();
    auth.refuses = "login";
    auth.iss = "https://evil.example";
    const login = expect(attempt()).rejects.toThrow("another issuer");
    await fetch(await browse(await shown));
    await login;
  });

  test("an answer counts once: the door is closed after it, and a code that was used is worth nothing", async () => {
    const { auth, attempt, shown } = await prepared();
    const login = attempt();
    const back = await browse(await shown);
    const answers = await Promise.allSettled([fetch(back), fetch(back)]);
    await login;
    const taken = answers.filter((each) => each.status === "fulfilled" && each.value.status === 200);
    expect(taken).toHaveLength(1);
    await expect(fetch(back)).rejects.toThrow();
    expect(auth.asked("/token")).toHaveLength(1);
    const again = await fetch(`${auth.origin}/token`, { method: "POST", body: auth.asked("/token")[0]?.body ?? "" });
    expect(again.status).toBe(400);
  });

  test("a code that somebody has used before is refused, and what the server repeats of it is not told", async () => {
    const { auth, attempt, shown } = await prepared();
    const login = attempt().then(
      () => null,
      (error: Error) => error,
    );
    const back = await browse(await shown);
    const code = new URL(back).searchParams.get("code") ?? "";
    await fetch(`${auth.origin}/token`, { method: "POST", body: new URLSearchParams({ code }) });
    await fetch(back);
    const error = await login;
    expect(error?.message).toContain("invalid_grant");
    expect(error?.message).not.toContain(code);
  });

  test("another host's name, another path, another method and a doubled parameter are refused", async () => {
    const { attempt, shown } = await prepared();
    const stop = new AbortController();
    const login = expect(attempt({ signal: stop.signal })).rejects.toMatchObject({ code: "login.failed" });
    const back = await browse(await shown);
    expect((await fetch(back, { method: "POST" })).status).toBe(400);
    expect((await fetch(`${back}&code=another`)).status).toBe(400);
    expect((await fetch(back.replace("/callback", "/callback/x"))).status).toBe(400);
    expect(await statusFor(back, "rebound.example")).toBe(400);
    stop.abort();
    await login;
    await expect(fetch(back)).rejects.toThrow();
  });

  test("a person who never comes back is not waited for", async () => {
    const { attempt, shown, folder } = await prepared();
    await expect(attempt({ patience: 1 })).rejects.toThrow("in time");
    const redirect = new URL(await shown).searchParams.get("redirect_uri") ?? "";
    await expect(fetch(redirect)).rejects.toThrow();
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** A login that only shows its address; nobody follows it by itself. */
async function prepared(odd: Oddities = {}) {
  const folder = temporary();
  const auth: AuthServer = await startAuthServer();
  const server = new URL((await startProtectedMcp(auth, odd)).url);
  const shown = createDeferred<string>();
  const attempt = (given: Partial<LogInOptions> = {}) =>
    logIn({
      server,
      headers: {},
      settings: { clientId: null, clientSecret: null, scope: null, callbackPort: null },
      store: createLoginStore(folder, server),
      signal: NEVER,
      patience: 30_000,
      show: (address) => shown.resolve(address.href),
      ...given,
    });
  return { auth, folder, attempt, shown: shown.promise };
}

/** Asks under another name, as a page would whose name was pointed at this machine. */
function statusFor(address: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(address, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolcrib-hostile-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A desktop's launcher that notes what it is started with. */
function fakeLauncher(home: string) {
  const bin = join(home, "bin");
  const note = join(home, "opened");
  mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" > '${note}.new'\nmv '${note}.new' '${note}'\n`;
  writeFileSync(join(bin, "xdg-open"), script);
  chmodSync(join(bin, "xdg-open"), 0o755);
  const opened = (): readonly string[] | null =>
    existsSync(note) ? readFileSync(note, "utf8").trimEnd().split("\n") : null;
  return { env: { HOME: home, PATH: `${bin}:/usr/bin:/bin`, DISPLAY: ":99" }, opened };
}
